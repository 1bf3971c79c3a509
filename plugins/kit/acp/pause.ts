/** Resolves after that time, or when the program has ended. */
export const pause = (ms: number, gone: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    gone.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
