import { status, strong } from "../print/cells.ts";
import { columns, type Printer, record } from "../print/printers.ts";
import { detectedModel } from "./detected-model.ts";

export const adapterPrinters: readonly Printer[] = [
  columns(
    "AdapterShape",
    { title: "TYPE", show: ({ type }, paper) => strong(type ?? "?", paper) },
    { title: "LABEL", show: ({ label, type }) => (label === type ? "" : label), grows: true, goes: 1 },
    { title: "STATUS", show: (row, paper) => status(row.status, paper) },
    {
      title: "FROM",
      show: ({ source, packageName, localPath }) => packageName ?? localPath ?? source ?? "",
      grows: true,
    },
    { title: "VERSION", show: ({ version }) => version ?? "" },
    { title: "TROUBLE", show: ({ error, warnings }) => error ?? warnings.join(" "), grows: true },
  ),
  record("DetectedModelShape", detectedModel),
];
