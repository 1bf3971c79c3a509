import { parse, stringify, YAMLParseError } from "yaml";
import { clause } from "../../core/model/shared/sentence.ts";
import type { DeclaredTemplate } from "../../core/model/templates/company-template.ts";

/** A file of a template's folder is wrong. The sentence names the file. */
export class TemplateFileInvalid extends Error {}

/** The folders of a template: each file is a record, its name the key, its text the field. */
const folders = {
  agents: "instructions",
  goals: "description",
  projects: "description",
  routines: "description",
} as const;

type Folder = keyof typeof folders;

const folderNames = Object.keys(folders) as readonly Folder[];

export const companyFile = "company.yaml";

/** The version of the folder's form. */
const format = 1;

type Fields = Readonly<Record<string, unknown>>;

/** Whether a path below the folder belongs to a template. */
export const isTemplateFile = (path: string): boolean =>
  path === companyFile || /^(?:agents|goals|projects|routines)\/[^/]+\.md$/.test(path);

/** Writes a template as files, by their paths below the folder. */
export const filesOf = (template: DeclaredTemplate): ReadonlyMap<string, string> => {
  const files = new Map([
    [
      companyFile,
      yaml({
        format,
        ...template.company,
        ...(template.labels === undefined ? {} : { labels: template.labels }),
      }),
    ],
  ]);
  for (const folder of folderNames)
    for (const { key, ...fields } of (template[folder] ?? []) as readonly (Fields & { key: string })[]) {
      const { [folders[folder]]: text, ...others } = fields;
      files.set(
        `${folder}/${key}.md`,
        `---\n${yaml(others)}---\n${typeof text === "string" ? `\n${text}\n` : ""}`,
      );
    }
  return files;
};

/** Long texts stay on their lines, so that a difference shows what was changed. */
const yaml = (value: unknown): string => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

/**
 * Reads a template of its files. Values are checked where it is applied.
 *
 * @throws TemplateFileInvalid
 */
export const templateOf = (files: ReadonlyMap<string, string>): DeclaredTemplate => {
  const text = files.get(companyFile);
  if (text === undefined) throw new TemplateFileInvalid(`The folder has no ${companyFile}.`);
  const { format: version, labels, ...company } = fieldsOf(text, companyFile);
  if (version !== format)
    throw new TemplateFileInvalid(
      `${companyFile}: its format is ${JSON.stringify(version)}; this version reads ${format}.`,
    );
  const lists = folderNames.map((folder): [Folder, readonly Fields[] | undefined] => {
    const paths = [...files.keys()].filter((path) => path.startsWith(`${folder}/`));
    return [
      folder,
      paths.length === 0 ? undefined : inOrder(paths).map((path) => recordOf(folder, path, files)),
    ];
  });
  return {
    company,
    ...(labels === undefined ? {} : { labels }),
    ...Object.fromEntries(lists.filter(([, list]) => list !== undefined)),
  } as DeclaredTemplate;
};

/** `report` before `report-2` before `report-10`. */
const inOrder = (paths: readonly string[]): readonly string[] =>
  paths.toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1));

const recordOf = (folder: Folder, path: string, files: ReadonlyMap<string, string>): Fields => {
  const key = path.slice(folder.length + 1, -".md".length);
  const found = /^---\r?\n(?<head>[\s\S]*?)(?<=^|\n)---(?:\r?\n(?<body>[\s\S]*))?$/.exec(files.get(path)!);
  if (found?.groups === undefined)
    throw new TemplateFileInvalid(`${path} does not begin with fields between two lines of ---.`);
  const { head = "", body = "" } = found.groups;
  const text = /^\r?\n?$/.test(body) ? null : body.replace(/^\r?\n/, "").replace(/\r?\n$/, "");
  return { ...fieldsOf(head, path), key, [folders[folder]]: text };
};

const fieldsOf = (text: string, path: string): Fields => {
  let value: unknown;
  try {
    value = parse(text, { maxAliasCount: 0 });
  } catch (error) {
    if (!(error instanceof YAMLParseError) && !(error instanceof ReferenceError)) throw error;
    throw new TemplateFileInvalid(`${path}: ${clause(error.message.split("\n")[0]!)}.`);
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new TemplateFileInvalid(`${path}: its fields are no list of names and values.`);
  return value as Fields;
};
