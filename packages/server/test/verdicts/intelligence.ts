/** Threat intelligence that labelled cases meet, as a client has it: most attacks use infrastructure that no list names. */
export const intelligenceList = `value,reputation
203.0.113.66,Malicious
203.0.113.67,Malicious
198.51.100.23,Malicious
198.51.100.88,Suspicious
203.0.113.150,Suspicious
cdn-telemetry.example,Malicious
login-office-portal.example,Malicious
pool.minefast.example,Malicious
files-share-now.example,Suspicious
203.0.113.200,Benign
monitoring.alder.example,Benign
`;
