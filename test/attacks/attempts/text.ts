import type { Attempt } from "./attempt.ts";

export const text = [
  {
    id: "endless-tags",
    promise:
      "No text of the greatest length keeps the database busy: it is stored and indexed in bounded time.",
    who: "an agent",
    attempt: "comments with 512 KiB of tags that never end, of addresses, and of accents of one letter",
    environments: ["root", "user"],
  },
] as const satisfies readonly Attempt[];
