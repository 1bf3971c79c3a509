import type { SignIn } from "../access/sign-in.ts";
import { addSeconds, type Instant } from "../shared/instant.ts";
import type { Notice, NoticeSubject } from "./notice.ts";

/** For how long a sign-in is the subject of a notice. */
export const noticedSignInSec = 7 * 86_400;
/** An older one begins none: a person who has just allowed push wants no news of last week. */
const beginsWithinSec = 300;

const refusedSubject = "refused_sign_ins";

const subjectOf = ({ id, refusal }: SignIn): string => (refusal === null ? `sign_in:${id}` : refusedSubject);

/** Somebody who guesses must not use up the notices of an hour: all refusals are one subject, with news once an hour. */
const versionOf = ({ refusal, createdAt }: SignIn): string =>
  refusal === null ? createdAt : createdAt.slice(0, "YYYY-MM-DDTHH".length);

/** The subjects of notices to a person, of sign-ins from new devices and refused ones, the newest first. */
export const signInSubjects = (
  signIns: readonly SignIn[],
  open: readonly Notice[],
  at: Instant,
): readonly NoticeSubject[] => {
  const lastRefused = signIns.find(({ refusal }) => refusal !== null);
  const begins = addSeconds(at, -beginsWithinSec);
  const isOpen = (each: SignIn) => open.some(({ subject }) => subject === subjectOf(each));
  return signIns
    .filter((each) => each.refusal === null || each === lastRefused)
    .filter((each) => each.createdAt > begins || isOpen(each))
    .map((each) => ({
      subject: subjectOf(each),
      version: versionOf(each),
      kind: "sign_in",
      companyId: null,
      waitingSince: null,
    }));
};

/** The sign-in that the notice is about. */
export const signInOf = (
  { subject }: Pick<Notice, "subject">,
  signIns: readonly SignIn[],
): SignIn | undefined => signIns.find((each) => subjectOf(each) === subject);

/** The title and the text of a notice of a sign-in. */
export const signInText = ({ refusal, device, address }: SignIn): { title: string; text: string } => {
  const from = `${device ?? "an unknown browser"}${address === null ? "" : ` at ${address}`}`;
  return refusal === null
    ? {
        title: "New sign-in",
        text: `You signed in with ${from}. If that wasn't you, end the session in your profile.`,
      }
    : {
        title: "Sign-in refused",
        text: `Somebody tried to sign in as you with ${from}. If that wasn't you, look at the recent sign-ins in your profile.`,
      };
};
