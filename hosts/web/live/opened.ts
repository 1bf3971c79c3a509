/** Data that is read while the stream is not open yet may change unheard: a read waits for the stream, but not for long. */
const patienceMs = 500;

let open: () => void = () => {};
const opening = new Promise<void>((resolve) => {
  open = resolve;
});
let isOpen = false;
let wasReadBefore = false;

/** Answers whether something was read before, which must be read again. */
export const recordOpened = (): boolean => {
  const mustReread = wasReadBefore;
  isOpen = true;
  wasReadBefore = false;
  open();
  return mustReread;
};

/** Resolves once the stream is open, or has taken too long to. */
export const opened = async (): Promise<void> => {
  if (isOpen) return;
  setTimeout(open, patienceMs);
  await opening;
  wasReadBefore = !isOpen;
};
