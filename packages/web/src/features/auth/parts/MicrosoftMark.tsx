/** Microsoft logo of the sign-in button. */
export function MicrosoftMark() {
  return (
    <svg aria-hidden="true" viewBox="0 0 21 21" width="18" height="18">
      <path fill="#f25022" d="M0 0h10v10H0z" />
      <path fill="#7fba00" d="M11 0h10v10H11z" />
      <path fill="#00a4ef" d="M0 11h10v10H0z" />
      <path fill="#ffb900" d="M11 11h10v10H11z" />
    </svg>
  );
}
