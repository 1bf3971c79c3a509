/** Returns a message without its full stop, as part of a sentence; messages of others end with one or not. */
export const clause = (message: string): string => message.trim().replace(/(?<![.:])[.:]+$/, "");

/** Returns a text of others without line ends and control characters. */
export const oneLine = (text: string): string => text.replaceAll(/[\p{Cc}\s]+/gu, " ").trim();

/** Returns a message of others as a sentence: it may lack its full stop. */
export const asSentence = (message: string): string => (/[.!?…]$/.test(message) ? message : `${message}.`);
