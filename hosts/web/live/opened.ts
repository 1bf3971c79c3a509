/** A list that is read while the stream is not open yet would miss what happens in between: it waits, but not for long. */
const patienceMs = 500;

let open: () => void = () => {};
const opening = new Promise<void>((resolve) => {
  open = resolve;
});

export const noteOpened = (): void => open();

/** Resolves once the stream is open, or has taken too long to. */
export const opened = (): Promise<void> => {
  setTimeout(open, patienceMs);
  return opening;
};
