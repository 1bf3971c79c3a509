/** Returns a message without its full stop, as part of a sentence; messages of others end with one or not. */
export const clause = (message: string): string => message.trim().replace(/(?<![.:])[.:]+$/, "");
