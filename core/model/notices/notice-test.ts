import { refusal } from "../shared/failure.ts";
import type { Instant } from "../shared/instant.ts";

/** A person gets a test at most once in this time. */
const testEverySec = 10;

export class TestUnreachable extends refusal(
  "notice_channel_unreachable",
  "conflict",
  "You can't be reached this way yet. Allow push in a browser, confirm an email address, or add a chat, first.",
) {}

export class TestNotSent extends refusal(
  "notice_not_sent",
  "upstream_failed",
  "The test notice wasn't accepted. Try again in a moment.",
) {}

export class TestedJustNow extends refusal(
  "notice_tested_just_now",
  "too_many",
  "You have just sent a test notice. Wait as long as Retry-After says.",
) {}

export const refusalOfTest = (lastAt: Instant | null, at: Instant): TestedJustNow | null => {
  if (lastAt === null) return null;
  const leftSec = Math.ceil((Date.parse(lastAt) - Date.parse(at)) / 1_000) + testEverySec;
  // One that is further ahead was set before the clock was put back.
  return leftSec > 0 && leftSec <= testEverySec ? new TestedJustNow({ retryAfterSec: leftSec }) : null;
};
