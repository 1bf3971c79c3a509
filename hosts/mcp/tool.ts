import { z } from "zod";
import { missingFields, refuseExcess, validationFailed } from "../api/endpoint/dispatch.ts";
import type { Endpoint } from "../api/endpoint/endpoint.ts";
import type { ToolText } from "./answer-text.ts";
import type { Session } from "./session.ts";
import type { ToolCaller } from "./tool-caller.ts";
import { ToolRefused } from "./tool-refused.ts";

/** A call of the interface, or several, as a model makes them. */
export interface Tool {
  /** snake_case, at most 40 characters: programs put the server's name before it, and drop or shorten long ones. */
  readonly name: string;
  /** For a model: what it does, and when. Some programs drop limits from schemas, so that they stand here. */
  readonly description: string;
  /** The endpoints that it calls; who may call them all may call the tool. */
  readonly calls: readonly Endpoint[];
  /** For callers of this kind alone. */
  readonly only?: ToolCaller["kind"];
  /** It acts in a company that no argument implies: people name theirs. */
  readonly inCompany?: true;
  /** It changes something, though it names no endpoint. */
  readonly changes?: true;
  /** The endpoints that its arguments name. */
  readonly called?: (args: unknown) => readonly Endpoint[];
  readonly input: z.ZodObject;
  run(session: Session, args: Readonly<Record<string, unknown>>): Promise<ToolText>;
}

/** Declares a tool. Its arguments are the fields of its endpoints, which check them; here only their names are. */
export const tool = <const Shape extends z.ZodRawShape>(
  declared: Omit<Tool, "input" | "run"> & {
    readonly input: Shape;
    readonly run: (session: Session, args: z.input<z.ZodObject<Shape>>) => Promise<ToolText>;
  },
): Tool => ({ ...declared, input: z.strictObject(declared.input), run: declared.run as Tool["run"] });

/** The part of an answer that begins at a character. */
export const offset = z
  .number()
  .int()
  .min(0)
  .optional()
  .describe("Continue an answer that was cut, from that character.");

/** Only a call that changes nothing is a read: programs carry those out without asking. */
export const isReadOnly = ({ calls, changes }: Pick<Tool, "calls" | "changes">): boolean =>
  !changes && calls.every(({ method }) => method === "GET");

const company = {
  companyId: z.string().optional().describe("A company's id; only if you have several."),
};

const inputOf = ({ input, inCompany }: Tool, caller: ToolCaller): z.ZodObject =>
  inCompany && caller.kind === "board" ? input.extend(company) : input;

/** A tool as a program lists it. */
export const listed = (tool: Tool, caller: ToolCaller) => {
  const { $schema: _, ...schema } = z.toJSONSchema(inputOf(tool, caller), {
    io: "input",
    unrepresentable: "any",
  });
  return {
    name: tool.name,
    description: tool.description,
    inputSchema: schema as { type: "object" },
    annotations: { readOnlyHint: isReadOnly(tool), openWorldHint: false },
  };
};

/** Calls a tool with arguments of any kind. @throws ToolRefused, and the refusals of the client */
export const callTool = async (tool: Tool, session: Session, args: unknown): Promise<ToolText> => {
  const excess = refuseExcess(args);
  if (excess !== null) throw new ToolRefused(excess.code, excess.message);
  const checked = inputOf(tool, session.caller).safeParse(args ?? {}, missingFields);
  if (!checked.success) {
    const { code, message } = validationFailed(checked.error);
    throw new ToolRefused(code, message);
  }
  // As given: dispatch parses them, and would refuse what was parsed before.
  const given = (args ?? {}) as Readonly<Record<string, unknown>>;
  const { companyId, ...rest } = given;
  if (!tool.inCompany) return tool.run(session, given);
  return tool.run({ ...session, company: () => session.company(companyId as string | undefined) }, rest);
};
