import { clause } from "../../core/model/shared/sentence.ts";

/** How the system, initdb and PostgreSQL say that a disk, its inodes or a user's share of it are used up. */
const full = /\b(?:ENOSPC|EDQUOT)\b|No space left on device|Disk quota exceeded/i;

export const isDiskFull = (message: string): boolean => full.test(message);

const remedy = "Make room on the disk of";

/**
 * Ends a message about a full disk with the way out, once: another folder of that disk has no more room, and the data stays
 * where it is.
 */
export const withRemedy = (message: string, directory: string): string =>
  message.includes(remedy) ? message : `${clause(message)}. ${remedy} ${directory}, and start again.`;
