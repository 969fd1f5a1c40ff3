/** Exits with instructions under the wrong Node: `npm run` uses the one that npm installed. */
export function requireNode(): void {
  const [major = 0] = process.versions.node.split('.').map(Number);
  if (major >= 24) return;
  console.error(
    `This needs Node 24, but runs on ${process.version}. Run it by npm ("npm start", "npm test"), after "npm ci": npm installs Node 24 with the other packages.`,
  );
  process.exit(1);
}
