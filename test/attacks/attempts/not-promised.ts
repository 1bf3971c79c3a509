import type { NotPromised } from "./attempt.ts";

export const notPromised: readonly NotPromised[] = [
  {
    what: "Agents of one company share a user and a home: they can read, change and end each other's files and programs.",
    places: ["root", "user"],
  },
  {
    what: "Where the sandbox is off or missing, programs of all companies run as the service's user and read all that it can read.",
    places: ["user"],
  },
];
