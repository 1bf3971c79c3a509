import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { DeclaredTemplate } from "../../../core/model/templates/company-template.ts";
import { templateFolders } from "../../composition/wiring/template-folder.ts";
import type { Client } from "../../library/client.ts";
import { BoardroomError } from "../../library/client-error.ts";
import type { Session } from "../connection/session.ts";
import { ExitWith } from "../exit-with.ts";
import { CommandFailed } from "../failure.ts";
import { type AppliedTemplate, templateReport } from "../nouns/template-report.ts";
import { harmless, type Terminal } from "../terminal.ts";
import type { ApplyOptions, ExportOptions, ImportOptions } from "./template-options.ts";

/** Writes the template of a company into a folder. */
export const exportTemplate = async (
  session: Session,
  options: ExportOptions,
  terminal: Terminal,
): Promise<void> => {
  const { template, omitted } = await session.client.companies.template(
    { companyId: await session.company() },
    session.callOptions,
  );
  const folder = resolve(options.to);
  const { written, removed } = await sentenced(() =>
    templateFolders.write(folder, template as DeclaredTemplate),
  );
  if (options.json) terminal.out(`${JSON.stringify({ folder, files: written, removed, omitted })}\n`);
  else if (options.quiet) terminal.out(`${folder}\n`);
  else
    terminal.out(
      [
        `${terminal.colors.green("✓")} ${written.length} files in ${folder}`,
        ...(removed.length === 0 ? [] : [`  Removed, of an earlier export: ${removed.join(", ")}`]),
        ...(omitted.length === 0 ? [] : [`  Left out: ${harmless(omitted.join(", "))}`]),
        "",
      ].join("\n"),
    );
};

/** Makes a company of a folder or of a template that comes with the service. */
export const importTemplate = async (
  { client, callOptions }: Session,
  source: string,
  options: ImportOptions,
  terminal: Terminal,
): Promise<void> => {
  const template = await templateNamed(client, source);
  const answer = await client.companies
    .importTemplate(
      { name: options.name, template: template as never, dryRun: options.dryRun === true },
      callOptions,
    )
    .catch(namingFile(template));
  if (options.quiet && answer.companyId !== null) terminal.out(`${answer.companyId}\n`);
  else show(answer, options, terminal);
  if (answer.companyId !== null && !options.json && !options.quiet)
    terminal.out(
      `${terminal.colors.green("✓")} ${harmless(options.name)} is there, and paused: \`boardroom companies resume ${answer.companyId}\` starts it.\n`,
    );
};

/** Makes a company what a folder declares. */
export const applyFolder = async (
  session: Session,
  options: ApplyOptions,
  terminal: Terminal,
): Promise<void> => {
  const template = await sentenced(() => templateFolders.read(resolve(options.file)));
  const answer = await session.client.companies
    .applyTemplate(
      {
        companyId: await session.company(),
        template: template as never,
        prune: options.prune === true,
        dryRun: options.dryRun === true,
      },
      session.callOptions,
    )
    .catch(namingFile(template));
  show(answer, options, terminal);
};

const templateNamed = async (client: Client, source: string): Promise<DeclaredTemplate> => {
  if (existsSync(resolve(source))) return sentenced(() => templateFolders.read(resolve(source)));
  const shipped = await client.companies.templates();
  const found = shipped.find(({ key }) => key === source);
  if (found === undefined)
    throw new CommandFailed(
      `${source} is neither a folder nor a template of the service: ${shipped.map(({ key }) => key).join(", ")}.`,
      "no_template",
    );
  return found.template as DeclaredTemplate;
};

const show = (
  answer: AppliedTemplate,
  { json, dryRun }: ApplyOptions | ImportOptions,
  terminal: Terminal,
): void => {
  if (json) terminal.out(`${JSON.stringify(answer)}\n`);
  else terminal.out(templateReport(answer, terminal));
  if (dryRun && answer.refused !== null) throw new ExitWith(1);
};

/** Names the file and the field, where the service refuses a field of a template. */
const namingFile =
  (template: DeclaredTemplate) =>
  (error: unknown): never => {
    const [problem] =
      error instanceof BoardroomError && Array.isArray(error.details)
        ? (error.details as readonly { readonly path?: readonly unknown[]; readonly message?: string }[])
        : [];
    const [of, list, at, ...field] = problem?.path ?? [];
    if (of !== "template") throw error;
    const records = (template as Readonly<Record<string, unknown>>)[String(list)];
    const record = Array.isArray(records)
      ? (records[Number(at)] as { readonly key?: string } | undefined)
      : undefined;
    const location =
      record?.key === undefined
        ? `company.yaml: ${[list, at, ...field].filter((part) => part !== undefined).join(".")}`
        : `${String(list)}/${record.key}.md: ${field.join(".")}`;
    throw new CommandFailed(`${harmless(location)}: ${problem?.message ?? ""}`, "validation_error");
  };

/** A wrong folder is no defect. */
const sentenced = async <T>(work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (!templateFolders.isInvalid(error)) throw error;
    throw new CommandFailed(harmless(error.message), "template_folder_invalid");
  }
};
