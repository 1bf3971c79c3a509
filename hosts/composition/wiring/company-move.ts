import { type ExportCompany, exportCompany } from "../../../adapters-infra/company-move/export-company.ts";
import {
  type ImportCompany,
  type ImportReport,
  type ImportRules,
  importCompany,
} from "../../../adapters-infra/company-move/import-company.ts";
import { cronerCalendar } from "../../../adapters-infra/local/croner-calendar.ts";
import { missingAdapters } from "../../../adapters-infra/plugins/missing-adapters.ts";
import { nextTick } from "../../../core/routines/schedule.ts";
import { recordShapes, rowShapes } from "../../api/companies/imported-company.ts";
import type { Config } from "../config.ts";
import { installationOf } from "./installation.ts";

export type { ImportReport };

/** Moves of companies between installations, for hosts. */
export const companyMoves = {
  export: (config: Config, command: ExportCompany) => exportCompany(installationOf(config), command),
  import: (config: Config, command: ImportCompany) =>
    importCompany(installationOf(config), rulesOf(config), command),
};

const rulesOf = ({ dataDir }: Config): ImportRules => {
  const calendar = cronerCalendar();
  return {
    shapes: { rows: rowShapes, ...recordShapes },
    calendar,
    nextTick: (schedule, after) => nextTick(calendar, schedule, after),
    missingAdapters: (types) => missingAdapters(dataDir, types),
  };
};
