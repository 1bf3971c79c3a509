import type { Client } from "../../library/client.ts";

/** `issues.get`: every call the interface has. */
export type CallName = {
  [Group in keyof Client & string]: `${Group}.${keyof Client[Group] & string}`;
}[keyof Client & string];

/** A call, or all calls of a group. */
export type CallPrefix = CallName | (keyof Client & string);
