import { exportCompany } from "./export-company.ts";
import { importCompany } from "./import-company.ts";

/** Companies as files, with their history, for hosts. */
export const companyMoves = { export: exportCompany, import: importCompany };
