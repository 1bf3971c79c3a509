import { withLocation } from "../../core/model/issues/comments/comment-location.ts";
import { lines, roomAfter, type ToolText } from "./answer-text.ts";
import type { Session } from "./session.ts";

/** The most comments of an answer. */
const mostComments = 20;
const mostFiles = 20;
const mostQuestions = 5;

type Client = Session["client"];
type Issue = Awaited<ReturnType<Client["issues"]["get"]>>;
type Comment = Awaited<ReturnType<Client["issues"]["comments"]>>["items"][number];
type Question = Awaited<ReturnType<Client["interactions"]["list"]>>["items"][number];
type File = Awaited<ReturnType<Client["attachments"]["list"]>>["items"][number];

const assigneeText = ({ caller }: Session, { assigneeAgentId, assigneeUser }: Issue): string => {
  if (assigneeUser !== null) return `${assigneeUser.name}, a person: answer with a comment`;
  if (assigneeAgentId === null) return "nobody";
  return caller.kind === "agent" && assigneeAgentId === caller.agentId ? "you" : `agent ${assigneeAgentId}`;
};

const checkoutText = ({ caller }: Session, { checkoutRunId }: Issue): string => {
  if (checkoutRunId === null) return "no";
  return caller.kind === "agent" && checkoutRunId === caller.runId ? "by you" : `by run ${checkoutRunId}`;
};

const named = (
  each: readonly { readonly identifier: string; readonly title: string; readonly status: string }[],
) => each.map(({ identifier, title, status }) => `${identifier} ${title} [${status}]`).join("; ");

const questionText = ({ id, kind, status, payload, result }: Question): string =>
  `- ${kind} ${id} is ${status}: ${JSON.stringify(payload).slice(0, 600)}${
    result === null ? "" : `\n  result: ${JSON.stringify(result).slice(0, 1_500)}`
  }`;

const fileText = ({ id, originalFilename, contentType, byteSize }: File): string =>
  `- ${originalFilename ?? "file"} (${contentType}, ${byteSize} bytes), attachmentId ${id}`;

const commentText = ({ authorName, createdAt, body, location, deletedAt }: Comment): string =>
  `[${createdAt}] ${authorName}:\n${deletedAt === null ? withLocation(body, location) : "(deleted)"}`;

const section = (title: string, rows: readonly string[]): string =>
  rows.length === 0 ? "" : `\n${title}\n${rows.join("\n")}`;

const issueText = (
  session: Session,
  issue: Issue,
  files: readonly File[],
  questions: readonly Question[],
): string =>
  lines(
    `${issue.identifier} ${issue.title}`,
    `id ${issue.id}; status ${issue.status}; priority ${issue.priority}; assigned to ${assigneeText(session, issue)}; checked out: ${checkoutText(session, issue)}`,
    issue.project && `Project: ${issue.project.name}`,
    issue.goal && `Goal: ${issue.goal.title}`,
    issue.ancestors.length > 0 && `Part of: ${named(issue.ancestors.slice(0, 5))}`,
    issue.blockedBy.length > 0 && `Blocked by: ${named(issue.blockedBy.slice(0, 20))}`,
    issue.documentSummaries.length > 0 &&
      `Documents: ${issue.documentSummaries
        .slice(0, 50)
        .map(({ key, latestRevisionNumber }) => `${key} (revision ${latestRevisionNumber})`)
        .join(", ")}`,
    section("Description:", issue.description === null ? [] : [issue.description]),
    section("Files, newest first:", files.map(fileText)),
    section("Questions to the board, newest first:", questions.map(questionText)),
  );

/** An issue as a text, with as much of its thread as an answer holds. */
export const taskText = async (
  session: Session,
  issueId: string,
  before: string | undefined,
): Promise<ToolText> => {
  const { client, options } = session;
  const commentsOf = (limit: number) => client.issues.comments({ issueId, limit, cursor: before }, options);
  const [issue, thread] = await Promise.all([
    client.issues.get({ issueId }, options),
    commentsOf(mostComments),
  ]);
  const [files, questions] =
    before === undefined
      ? await Promise.all([
          client.attachments.list({ issueId, limit: mostFiles }, options),
          client.interactions.list({ issueId, limit: mostQuestions }, options),
        ])
      : [{ items: [] }, { items: [] }];
  const head =
    before === undefined
      ? issueText(session, issue, files.items, questions.items)
      : `${issue.identifier} ${issue.title}: older comments`;
  const fitting = thatFit(thread.items, roomAfter(head));
  // The cursor of a page stands at its end: one that ends where the answer does.
  const shown = fitting === thread.items.length ? thread : await commentsOf(fitting);
  return {
    text: `${head}\n${section("Comments, newest first:", shown.items.map(commentText))}`,
    next:
      shown.next === null
        ? undefined
        : `Older comments: the same call with "before": ${JSON.stringify(shown.next)}`,
  };
};

/** How many comments fit, at least one: a long one is read in parts. */
const thatFit = (comments: readonly Comment[], room: number): number => {
  let remaining = room;
  let fit = 0;
  for (const comment of comments) {
    remaining -= commentText(comment).length + 1;
    if (remaining < 0) break;
    fit += 1;
  }
  return Math.max(fit, Math.min(1, comments.length));
};
