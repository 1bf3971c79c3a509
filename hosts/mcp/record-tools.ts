import { z } from "zod";
import { takesWork } from "../../core/model/agents/takes-work.ts";
import { api } from "../api/index.ts";
import { lines } from "./answer-text.ts";
import { issueId } from "./issue-tools.ts";
import { offset, type Tool, tool } from "./tool.ts";
import { ToolRefused } from "./tool-refused.ts";

const document = api.documents.put.body!.shape;

/** An empty name would be another path. */
const given = (text: string, name: string): string => {
  if (text === "") throw new ToolRefused("validation_error", `${name}: must not be empty.`);
  return text;
};

/** Some fields of a shape. */
const pick = <Shape extends z.ZodRawShape, const Key extends keyof Shape & string>(
  shape: Shape,
  keys: readonly Key[],
): Pick<Shape, Key> =>
  Object.fromEntries(keys.map((key) => [key, shape[key]])) as unknown as Pick<Shape, Key>;

/** The largest file whose text is an answer. */
const mostTextBytes = 4 * 1024 * 1024;

const readableTypes = /^(text\/|application\/(json|xml|yaml|x-yaml|toml|javascript|x-sh|sql)\b|image\/svg)/;

/** Reads at most that much: a file can be larger than what memory may hold. */
const textOf = async (body: ReadableStream<Uint8Array>): Promise<string | null> => {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let bytes = 0;
  try {
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > mostTextBytes) return null;
      text += decoder.decode(chunk, { stream: true });
    }
    return text + decoder.decode();
  } catch (error) {
    if (error instanceof TypeError) return null;
    throw error;
  }
};

/** Documents and files of issues, and who works in the company. */
export const recordTools: readonly Tool[] = [
  tool({
    name: "read_document",
    description: "Read a document of an issue, such as its plan; without a key, list the documents.",
    calls: [api.issues.get, api.documents.get],
    input: { issueId, key: z.string().optional().describe("The document's key, such as plan."), offset },
    run: async (session, { issueId, key, offset }) => {
      const { client, options } = session;
      const issue = await session.issue(issueId);
      if (key === undefined) {
        const { documentSummaries } = await client.issues.get({ issueId: issue }, options);
        const rows = documentSummaries.map(
          ({ key, title, latestRevisionNumber, updatedAt }) =>
            `${key}: ${title ?? "(untitled)"}, revision ${latestRevisionNumber} of ${updatedAt}`,
        );
        return { text: rows.join("\n") || "The issue has no documents.", offset };
      }
      const found = await client.documents.get({ issueId: issue, key: given(key, "key") }, options);
      return {
        text: lines(
          `${found.key}: ${found.title ?? "(untitled)"}`,
          `revision ${found.latestRevisionNumber}; to change it: baseRevisionId ${found.latestRevisionId}`,
          `\n${found.body}`,
        ),
        offset,
      };
    },
  }),
  tool({
    name: "write_document",
    description:
      "Create or change a document of an issue: a plan, a design, notes. Markdown, at most 512 KiB. To change one, give the baseRevisionId that read_document shows.",
    calls: [api.documents.put],
    input: {
      issueId,
      key: z.string().describe("Lower-case words, such as plan or design-notes."),
      title: document.title,
      body: document.body,
      changeSummary: document.changeSummary,
      baseRevisionId: document.baseRevisionId,
    },
    run: async (session, { issueId, key, ...fields }) => {
      const made = await session.client.documents.put(
        { ...fields, issueId: await session.issue(issueId), key: given(key, "key") },
        session.options,
      );
      return {
        text: `${made.key} is revision ${made.latestRevisionNumber}; the next change needs baseRevisionId ${made.latestRevisionId}.`,
      };
    },
  }),
  tool({
    name: "read_file",
    description:
      "Read a text file that is attached to an issue. my_task lists the files with their attachmentId.",
    calls: [api.attachments.content],
    input: { attachmentId: z.string(), offset },
    run: async ({ client, options }, { attachmentId, offset }) => {
      const file = await client.attachments.content(
        { attachmentId: given(attachmentId, "attachmentId") },
        options,
      );
      const text = readableTypes.test(file.contentType) ? await textOf(file.body) : null;
      if (text !== null) return { text: text === "" ? "The file is empty." : text, offset };
      await file.body.cancel().catch(() => {});
      throw new ToolRefused(
        "not_a_text",
        `${file.filename ?? "The file"} is no text of at most 4 MiB (${file.contentType}, ${file.byteSize} bytes). Download it: GET $SERVICE_API_URL/api/attachments/${attachmentId}/content with your token.`,
      );
    },
  }),
  tool({
    name: "attach_file",
    description:
      "Attach a file to an issue: its text, or its bytes in base64; at most 700 KiB. Larger files go by POST /api/companies/{companyId}/issues/{issueId}/attachments.",
    calls: [api.attachments.add],
    inCompany: true,
    input: {
      issueId,
      filename: z.string().min(1).max(255),
      text: z.string().optional(),
      base64: z.base64().optional().describe("Instead of text."),
      contentType: z
        .string()
        .max(200)
        .optional()
        .describe("Default: text/plain, or application/octet-stream."),
    },
    run: async (session, { issueId, filename, text, base64, contentType }) => {
      if ((text === undefined) === (base64 === undefined))
        throw new ToolRefused("validation_error", "Give either text or base64.");
      const content = text ?? Buffer.from(base64 ?? "", "base64");
      const type = contentType ?? (text === undefined ? "application/octet-stream" : "text/plain");
      const made = await session.client.attachments.add(
        {
          companyId: await session.company(),
          issueId: await session.issue(issueId),
          file: new File([content], filename, { type }) as never,
        },
        session.options,
      );
      return { text: `${made.originalFilename ?? filename} is attached; attachmentId ${made.id}.` };
    },
  }),
  tool({
    name: "who_is_who",
    description:
      "List your colleagues (agents) and the people of the company, with their ids; and your managers.",
    calls: [api.agents.list, api.members.people],
    inCompany: true,
    input: { offset },
    run: async (session, { offset }) => {
      const { caller, client, options } = session;
      const companyId = await session.company();
      const [agents, people, me] = await Promise.all([
        client.agents.list({ companyId }, options),
        client.members.people({ companyId }, options),
        caller.kind === "agent" ? client.agents.me({}, options) : null,
      ]);
      const working = agents.filter(({ status }) => takesWork(status));
      return {
        text: lines(
          me && `You are ${me.name} (${me.role}), id ${me.id}.`,
          me &&
            `Your managers, nearest first: ${me.chainOfCommand.map(({ name, id }) => `${name} (id ${id})`).join(", ") || "none; the board is above you"}.`,
          "\nAgents:",
          ...working.map(
            ({ id, name, urlKey, role, title, status, capabilities }) =>
              `- ${name} (@${urlKey}, id ${id}): ${title ?? role}, ${status}${capabilities ? `; ${capabilities.slice(0, 200)}` : ""}`,
          ),
          "\nPeople:",
          ...people.map(({ userId, name }) => `- ${name}, id ${userId}`),
        ),
        offset,
      };
    },
  }),
  tool({
    name: "propose_hire",
    description:
      "Propose a new agent to the board. Answers at once: nobody has decided yet. The decision wakes you.",
    calls: [api.approvals.hire],
    inCompany: true,
    input: pick(api.approvals.hire.body!.shape, [
      "name",
      "role",
      "title",
      "reportsTo",
      "capabilities",
      "adapterType",
      "budgetMonthlyCents",
      "issueIds",
    ]),
    run: async (session, fields) => {
      const companyId = await session.company();
      const { agent, approval } = await session.client.approvals.hire(
        { ...fields, companyId },
        session.options,
      );
      return {
        text: `${agent.name} is proposed (agent ${agent.id}, approval ${approval.id}, ${approval.status}). The board decides; do not wait for it.`,
      };
    },
  }),
  tool({
    name: "report_cost",
    description:
      "Report money or tokens that you spent outside of your own program, such as on a paid service. The service records the cost of your program itself.",
    calls: [api.costs.report],
    only: "agent",
    input: pick(api.costs.report.body!.shape, [
      "provider",
      "model",
      "inputTokens",
      "cachedInputTokens",
      "outputTokens",
      "costCents",
      "issueId",
      "eventId",
    ]),
    run: async (session, fields) => {
      const { caller } = session;
      const event = await session.client.costs.report(
        {
          ...fields,
          companyId: await session.company(),
          agentId: caller.kind === "agent" ? caller.agentId : "",
        },
        session.options,
      );
      return {
        text: `Recorded: ${event.costCents === null ? "an unknown cost" : `${event.costCents} cents`}.`,
      };
    },
  }),
];
