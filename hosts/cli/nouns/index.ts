import type { Printer } from "../print/printers.ts";
import { activityPrinters } from "./activity-printers.ts";
import { adapterPrinters } from "./adapter-printers.ts";
import { agentPrinters } from "./agent-printers.ts";
import { approvalPrinters } from "./approval-printers.ts";
import { boardPrinters } from "./board-printers.ts";
import { companyPrinters } from "./company-printers.ts";
import { costPrinters } from "./cost-printers.ts";
import { inboxPrinters } from "./inbox-printers.ts";
import { issuePrinters } from "./issue-printers.ts";
import { projectPrinters } from "./project-printers.ts";
import { routinePrinters } from "./routine-printers.ts";
import { runPrinters } from "./run-printers.ts";
import { runnerPrinters } from "./runner-printers.ts";
import { secretPrinters } from "./secret-printers.ts";
import { volumePrinters } from "./volume-printers.ts";

/** The printers of all nouns. */
export const printers: readonly Printer[] = [
  ...activityPrinters,
  ...adapterPrinters,
  ...agentPrinters,
  ...approvalPrinters,
  ...boardPrinters,
  ...companyPrinters,
  ...costPrinters,
  ...inboxPrinters,
  ...issuePrinters,
  ...projectPrinters,
  ...routinePrinters,
  ...runPrinters,
  ...runnerPrinters,
  ...secretPrinters,
  ...volumePrinters,
];
