import { refusal } from "../shared/failure.ts";

export class AdapterNotFound extends refusal(
  "adapter_not_found",
  "not_found",
  "No adapter of this type is loaded. List the adapters to see which are.",
) {}

export class UiParserNotFound extends refusal(
  "ui_parser_not_found",
  "not_found",
  "The adapter has no UI parser for this version of Boardroom.",
) {}

/** The sentence names the fault of the package. */
export class AdapterNotInstallable extends refusal(
  "adapter_not_installable",
  "unprocessable",
  "This package can't be used as an adapter.",
) {}

export class AdapterTypeTaken extends refusal(
  "adapter_type_taken",
  "conflict",
  "Another adapter already has this type.",
) {}

export class AdapterBuiltIn extends refusal("adapter_built_in", "conflict", "This adapter is built in.") {}

export class AdapterBusy extends refusal(
  "adapter_busy",
  "too_many",
  "Too many adapter requests from this company. Try again after the time in Retry-After.",
) {}
