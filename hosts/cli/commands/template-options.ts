import type { CommonOptions } from "../connection/session.ts";

export interface ExportOptions extends CommonOptions {
  readonly to: string;
  readonly template?: true;
  readonly full?: true;
  readonly passphraseFile?: string;
}

export interface ImportOptions extends CommonOptions {
  readonly name: string;
  readonly passphraseFile?: string;
  readonly dryRun?: true;
}

export interface ApplyOptions extends CommonOptions {
  readonly file: string;
  readonly prune?: true;
  readonly dryRun?: true;
}
