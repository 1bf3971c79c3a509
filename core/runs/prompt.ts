import type { RunTask } from "../../ports/views/run-views.ts";
import type { Agent } from "../model/agents/agent.ts";
import { withLocation } from "../model/issues/comments/comment-location.ts";
import { maxMessage, type ResumedMessage, textInPrompt } from "../model/runs/messages/run-message.ts";
import type { Run } from "../model/runs/run.ts";
import { wakeReasons } from "../model/runs/wake-reason.ts";
import type { RunId } from "../model/shared/ids.ts";

const maxDescription = 12_000;
const maxComments = 8;
const maxComment = 4_000;

const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit)}\n[truncated; read the rest through the API]`;

const answers: Readonly<Record<string, string>> = {
  approved: "approved it",
  rejected: "rejected it",
  revision_requested: "asked for a revision (POST /api/approvals/{id}/resubmit with the new payload)",
};

const decisionText = ({ id, type, status, note, issueIds }: RunTask["decisions"][number]): string =>
  [
    `You asked the board for a decision (${type}, id ${id}); it ${answers[status] ?? `is ${status} again`}.`,
    issueIds.length === 0 ? "" : `Linked issues: ${issueIds.join(", ")}.`,
    note === null || note.trim() === "" ? "" : `The board's note:\n${cut(note, maxComment)}`,
  ]
    .filter((line) => line !== "")
    .join("\n");

/** Names the task, and leaves the rest to the tools: what they tell would be in the conversation twice. */
const taskForTools = ({ issue, comments }: RunTask): string =>
  issue === null
    ? "You have no particular task in this run: my_issues lists yours; take the most urgent."
    : [
        `Your task is ${issue.identifier} (${issue.priority} priority, status ${issue.status}): ${issue.title}`,
        issue.assigneeUserName === null
          ? ""
          : `It is assigned to ${issue.assigneeUserName}, a person: answer with a comment.`,
        comments.length === 0
          ? ""
          : `New in its thread: ${[...new Set(comments.map(({ author }) => author))].slice(0, maxComments).join(", ")}.`,
      ]
        .filter((line) => line !== "")
        .join("\n");

const fullTask = ({ issueId }: Pick<Run, "issueId">, { issue, comments }: RunTask): string =>
  [
    issue === null
      ? "You have no particular task in this run: look at your open issues and take the most urgent."
      : [
          `Your task is ${issue.identifier} (id ${issueId}), ${issue.priority} priority, status ${issue.status}:`,
          issue.assigneeUserName === null
            ? ""
            : `It is assigned to ${issue.assigneeUserName}, a person: answer with a comment.`,
          `# ${issue.title}`,
          cut(issue.description ?? "", maxDescription),
        ]
          .filter((line) => line !== "")
          .join("\n"),
    comments.length === 0
      ? ""
      : [
          "New in the thread:",
          ...comments
            .slice(-maxComments)
            .map(
              ({ author, body, location, createdAt }) =>
                `[${createdAt}] ${author}:\n${withLocation(cut(body, maxComment), location)}`,
            ),
        ].join("\n\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");

const howToWork = (knowsTools: boolean, isCheckedOut: boolean): string =>
  knowsTools
    ? [
        "Work with the tools of the server boardroom: my_task shows a task with its thread,",
        isCheckedOut ? "which is checked out for you already," : "check_out claims it,",
        "and finish_task or hand_over ends it with a clear status.",
      ].join(" ")
    : [
        "If you have tools of a server boardroom (my_task, check_out, comment, finish_task), work with them. Otherwise",
        "work through the API at $SERVICE_API_URL with your token in $SERVICE_API_KEY (curl or any HTTP client);",
        "GET $SERVICE_API_URL/api/agent-guide says how. In short:",
        isCheckedOut
          ? "the issue is checked out for you already;"
          : "check an issue out before you change it (POST /api/issues/{id}/checkout), and never retry a 409;",
        "comment what people should know (POST /api/issues/{id}/comments), and end your issue with a clear status",
        '(PATCH /api/issues/{id} {"status":"done","comment":"…"}; in_review or blocked where that is the truth).',
      ].join("\n");

/** Composes the agent's prompt: who it is, why it runs, its task, and how to work here. */
export const composePrompt = (
  agent: Pick<Agent, "id" | "name" | "role">,
  run: Pick<Run, "id" | "issueId" | "wakeReason" | "context">,
  task: RunTask,
  /** The run for which the service has checked out the issue. */
  checkoutRunId: RunId | null,
  /** Messages of people that earlier runs left. */
  messages: readonly ResumedMessage[] = [],
): string =>
  [
    `You are ${agent.name} (${agent.role}), an agent of ${task.companyName}. ${wakeReasons[run.wakeReason].toAgent}`,
    typeof run.context.message === "string" ? run.context.message : "",
    task.knowsTools ? taskForTools(task) : fullTask(run, task),
    ...messages.map((message) => cut(textInPrompt(message), maxMessage)),
    ...task.decisions.map(decisionText),
    howToWork(task.knowsTools, checkoutRunId === run.id),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
