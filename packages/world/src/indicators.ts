/** Threat intelligence list of the demo as CSV: addresses and hashes used by the stories, all reserved for documentation. */
const indicators: readonly (readonly [value: string, reputation: string, kind: string])[] = [
  // Command-and-control servers of the ransomware and of the attack on the domain controller.
  ['203.0.113.66', 'Malicious', 'ip'],
  ['cdn.paymentportal.example', 'Malicious', 'domain'],
  ['192.0.2.66', 'Malicious', 'ip'],
  // Cryptomining: the intruder and the pool.
  ['203.0.113.199', 'Malicious', 'ip'],
  ['192.0.2.199', 'Malicious', 'ip'],
  ['pool.coins.example', 'Malicious', 'domain'],
  // Source network of mailbox takeovers.
  ...Array.from({ length: 21 }, (_, index) => [`203.0.113.${170 + index}`, 'Suspicious', 'ip'] as const),
  // Hosts that spray passwords.
  ...['203.0.113.24', '203.0.113.81', '198.51.100.201', '192.0.2.144', '192.0.2.17', '203.0.113.140', '198.51.100.233'].map(
    (address) => [address, 'Suspicious', 'ip'] as const,
  ),
  ['203.0.113.77', 'Suspicious', 'ip'],
  ['2001:db8:bad::66', 'Malicious', 'ip'],
  ['updates.invoice-portal.example', 'Malicious', 'domain'],
];

export const demoIndicatorsName = 'Demo indicators';
export const demoIndicators = ['value,reputation,kind', ...indicators.map((row) => row.join(','))].join('\n');
