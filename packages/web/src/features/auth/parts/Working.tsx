/** Progress of an automatic sign-in; looks like the splash screen. */
export function Working() {
  return (
    <div className="splash" role="status">
      <i />
      Signing in...
    </div>
  );
}
