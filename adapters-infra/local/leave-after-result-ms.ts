/** Time to exit for a program that has reported its result. */
export const leaveAfterResultMs = 5_000;
