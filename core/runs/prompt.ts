import type { RunTask } from "../../ports/views/run-views.ts";
import type { Agent } from "../agents/agent.ts";
import type { RunId } from "../shared/ids.ts";
import type { Run } from "./run.ts";
import { wakeReasons } from "./wake-reason.ts";

const maxDescription = 12_000;
const maxComments = 8;
const maxComment = 4_000;

const cut = (text: string, limit: number): string =>
  text.length <= limit ? text : `${text.slice(0, limit)}\n[cut here; read the rest through the API]`;

const answers: Readonly<Record<string, string>> = {
  approved: "approved it",
  rejected: "rejected it",
  revision_requested: "asks for a revision (POST /api/approvals/{id}/resubmit with the new payload)",
};

const decisionText = ({ id, type, status, note, issueIds }: RunTask["decisions"][number]): string =>
  [
    `You asked the board for a decision (${type}, id ${id}); it ${answers[status] ?? `is ${status} again`}.`,
    issueIds.length === 0 ? "" : `Linked issues: ${issueIds.join(", ")}.`,
    note === null || note.trim() === "" ? "" : `The board's note:\n${cut(note, maxComment)}`,
  ]
    .filter((line) => line !== "")
    .join("\n");

/** Composes the agent's prompt: who it is, why it runs, its task, and how to work here. */
export const composePrompt = (
  agent: Pick<Agent, "id" | "name" | "role">,
  run: Pick<Run, "id" | "issueId" | "wakeReason" | "context">,
  task: RunTask,
  /** The run for which the service has checked out the issue. */
  checkoutRunId: RunId | null,
): string =>
  [
    `You are ${agent.name} (${agent.role}), an agent of ${task.companyName}. ${wakeReasons[run.wakeReason].toAgent}`,
    typeof run.context.message === "string" ? run.context.message : "",
    task.issue === null
      ? "You have no particular task in this run: look at your open issues and take the most urgent."
      : [
          `Your task is ${task.issue.identifier} (id ${run.issueId}), ${task.issue.priority} priority, status ${task.issue.status}:`,
          task.issue.assigneeUserName === null
            ? ""
            : `It is assigned to ${task.issue.assigneeUserName}, a person: answer with a comment.`,
          `# ${task.issue.title}`,
          cut(task.issue.description ?? "", maxDescription),
        ]
          .filter((line) => line !== "")
          .join("\n"),
    ...task.decisions.map(decisionText),
    task.comments.length === 0
      ? ""
      : [
          "New in the thread:",
          ...task.comments
            .slice(-maxComments)
            .map(({ author, body, createdAt }) => `[${createdAt}] ${author}:\n${cut(body, maxComment)}`),
        ].join("\n\n"),
    [
      "Work through the API at $SERVICE_API_URL with your token in $SERVICE_API_KEY (curl or any HTTP client);",
      "GET $SERVICE_API_URL/api/agent-guide says how. In short:",
      checkoutRunId === run.id
        ? "the issue is checked out for you already;"
        : "check an issue out before you change it (POST /api/issues/{id}/checkout), and never retry a 409;",
      "comment what people should know (POST /api/issues/{id}/comments), and end your issue with a clear status",
      '(PATCH /api/issues/{id} {"status":"done","comment":"…"}; in_review or blocked where that is the truth).',
    ].join("\n"),
  ]
    .filter((part) => part !== "")
    .join("\n\n");
