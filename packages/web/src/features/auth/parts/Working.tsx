/** While a way in goes on by itself; looks like the splash before it. */
export function Working() {
  return (
    <div className="splash" role="status">
      <i />
      Signing in...
    </div>
  );
}
