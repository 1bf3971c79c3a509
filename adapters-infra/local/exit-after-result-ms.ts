/** Time to exit for a program that has reported its result. */
export const exitAfterResultMs = 5_000;
