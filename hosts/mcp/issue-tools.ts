import { z } from "zod";
import { type issueStatuses, openStatuses } from "../../core/model/issues/issue-status.ts";
import { api } from "../api/index.ts";
import { payloads } from "../api/issues/interaction-shapes.ts";
import { lines } from "./answer-text.ts";
import { taskText } from "./task-text.ts";
import { offset, type Tool, tool } from "./tool.ts";
import { ToolRefused } from "./tool-refused.ts";

/** The issue that most tools are about. */
export const issueId = z
  .string()
  .optional()
  .describe("An issue's id or identifier, such as ABC-12. Default: your task.");

const cursor = z.string().optional().describe("The cursor of the previous answer, for the next rows.");

const perPage = 30;

const update = api.issues.update.body!.shape;
const create = api.issues.create.body!.shape;

/** The statuses with which an agent ends its work. */
const ended = [
  "done",
  "in_review",
  "blocked",
  "cancelled",
] as const satisfies readonly (typeof issueStatuses)[number][];

interface Row {
  readonly identifier: string;
  readonly status: string;
  readonly priority: string;
  readonly title: string;
}

const rowText = ({ identifier, status, priority, title }: Row, more = ""): string =>
  `${identifier} [${status}, ${priority}] ${title}${more}`;

const pageText = (rows: readonly string[], next: string | null) => ({
  text: rows.length === 0 ? "None." : rows.join("\n"),
  next: next === null ? undefined : `More: the same call with "cursor": ${JSON.stringify(next)}`,
});

/** Reading issues, claiming them, and handing them on. */
export const issueTools: readonly Tool[] = [
  tool({
    name: "my_task",
    description:
      "Read your task, or another issue: its description, state, documents, files, questions to the board, and the newest comments of its thread. Start here.",
    calls: [api.issues.get, api.issues.comments, api.attachments.list, api.interactions.list],
    input: {
      issueId,
      before: z.string().optional().describe("A cursor of the previous answer, for older comments."),
      offset,
    },
    run: async (session, { issueId, before, offset }) => ({
      ...(await taskText(session, await session.issue(issueId), before)),
      offset,
    }),
  }),
  tool({
    name: "my_issues",
    description: "List the open issues that are assigned to you, the most urgent first.",
    calls: [api.issues.list],
    inCompany: true,
    input: { cursor },
    run: async (session, { cursor }) => {
      const { caller, client, options } = session;
      const { items, next } = await client.issues.list(
        {
          companyId: await session.company(),
          ...(caller.kind === "agent"
            ? { assigneeAgentId: caller.agentId }
            : { assigneeUserId: caller.userId }),
          slim: true,
          limit: perPage,
          cursor,
        },
        options,
      );
      return pageText(
        items.map((issue) => rowText(issue)),
        next,
      );
    },
  }),
  tool({
    name: "search_issues",
    description:
      'Search all issues of the company by words: titles, descriptions, comments and documents. Takes "a phrase", `or` and `-not`. At most 500 characters.',
    calls: [api.issues.search],
    inCompany: true,
    input: { q: api.issues.search.query.shape.q, cursor },
    run: async (session, { q, cursor }) => {
      const companyId = await session.company();
      const { items, next } = await session.client.issues.search(
        { companyId, q, limit: perPage, cursor },
        session.options,
      );
      return pageText(
        items.map((issue) => rowText(issue, `\n  ${issue.excerpt.slice(0, 200)}`)),
        next,
      );
    },
  }),
  tool({
    name: "check_out",
    description:
      "Claim an issue for yourself, before you work on it. It is yours afterwards, also if it already was. If it is refused because another agent holds it, take other work.",
    calls: [api.issues.checkout],
    only: "agent",
    input: { issueId },
    run: async (session, { issueId }) => {
      const { caller, client, options } = session;
      const issue = await client.issues.checkout(
        {
          issueId: await session.issue(issueId),
          agentId: caller.kind === "agent" ? caller.agentId : "",
          expectedStatuses: openStatuses,
        },
        options,
      );
      return { text: `${issue.identifier} is yours; its status is ${issue.status}.` };
    },
  }),
  tool({
    name: "comment",
    description:
      "Say in an issue's thread what people and colleagues should know. Markdown, at most 512 KiB. @name wakes that agent.",
    calls: [api.issues.comment],
    input: { issueId, body: api.issues.comment.body!.shape.body },
    run: async (session, { issueId, body }) => {
      const { id } = await session.client.issues.comment(
        { issueId: await session.issue(issueId), body },
        session.options,
      );
      return { text: `Comment ${id} is in the thread.` };
    },
  }),
  tool({
    name: "finish_task",
    description:
      "End your work on an issue with a status and a comment on the result. done: it is finished. in_review: a person should look at it, as gates with a review need. blocked: say what is missing. cancelled: it is not needed. If a gate refuses done, commit everything and end the run: the service makes the issue done once its gates are met, or starts another run.",
    calls: [api.issues.update],
    input: { issueId, status: z.enum(ended), comment: update.comment },
    run: async (session, { issueId, status, comment }) => {
      const issue = await session.client.issues.update(
        { issueId: await session.issue(issueId), status, comment },
        session.options,
      );
      return { text: `${issue.identifier} is ${issue.status}.` };
    },
  }),
  tool({
    name: "hand_over",
    description:
      "Give an issue to a colleague (assigneeAgentId: it becomes todo and wakes them) or to a person (assigneeUserId: it becomes in_review). Say in the comment what they need to know. who_is_who lists both.",
    calls: [api.issues.update],
    input: {
      issueId,
      assigneeAgentId: update.assigneeAgentId
        .unwrap()
        .unwrap()
        .optional()
        .describe("An agent's id or urlKey."),
      assigneeUserId: update.assigneeUserId.unwrap().unwrap().optional().describe("A person's id."),
      comment: update.comment,
    },
    run: async (session, { issueId, assigneeAgentId, assigneeUserId, comment }) => {
      if ((assigneeAgentId === undefined) === (assigneeUserId === undefined))
        throw new ToolRefused("validation_error", "Give either assigneeAgentId or assigneeUserId.");
      const issue = await session.client.issues.update(
        {
          issueId: await session.issue(issueId),
          comment,
          ...(assigneeAgentId === undefined
            ? { status: "in_review" as const, assigneeUserId }
            : { status: "todo" as const, assigneeAgentId }),
        },
        session.options,
      );
      return { text: `${issue.identifier} is handed over; its status is ${issue.status}.` };
    },
  }),
  tool({
    name: "create_subtask",
    description:
      "Create an issue below your task, for a colleague or for yourself later. An assigned agent is woken for it. Title at most 500 characters.",
    calls: [api.issues.create],
    inCompany: true,
    input: {
      title: create.title,
      description: create.description,
      assigneeAgentId: create.assigneeAgentId.describe("An agent's id. Default: nobody."),
      assigneeUserId: create.assigneeUserId,
      priority: create.priority,
      parentId: issueId.describe("The issue above it. Default: your task; for a person, none."),
      blockedByIssueIds: create.blockedByIssueIds,
    },
    run: async (session, { parentId, ...fields }) => {
      const hasNoTask = session.caller.kind === "board" && !parentId;
      const issue = await session.client.issues.create(
        {
          ...fields,
          companyId: await session.company(),
          parentId: (hasNoTask ? undefined : await session.issue(parentId)) as never,
        },
        session.options,
      );
      return { text: `${issue.identifier} (id ${issue.id}) exists; its status is ${issue.status}.` };
    },
  }),
  tool({
    name: "ask_board",
    description:
      "Ask the board for a yes or no (prompt, at most 1,000 characters; detailsMarkdown), or questions with options to choose from (questions). Answers at once: nobody has decided yet. The decision wakes you; end your run meanwhile. A rejection wakes nobody.",
    calls: [api.interactions.create],
    input: {
      issueId,
      prompt: payloads.request_confirmation.shape.prompt.optional(),
      detailsMarkdown: payloads.request_confirmation.shape.detailsMarkdown,
      questions: payloads.ask_user_questions.shape.questions.optional(),
    },
    run: async (session, { issueId, prompt, detailsMarkdown, questions }) => {
      const asked = await session.client.interactions.create(
        {
          issueId: await session.issue(issueId),
          continuationPolicy: "wake_assignee",
          ...(questions === undefined
            ? { kind: "request_confirmation" as const, payload: { prompt, detailsMarkdown } }
            : { kind: "ask_user_questions" as const, payload: { title: prompt, questions } }),
        },
        session.options,
      );
      return {
        text: lines(
          `Asked: question ${asked.id} is ${asked.status}.`,
          "This task continues when the board has answered; my_task then shows the result. Do not wait for it.",
        ),
      };
    },
  }),
];
