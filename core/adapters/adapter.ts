import { refusal } from "../shared/failure.ts";

export class AdapterNotFound extends refusal(
  "adapter_not_found",
  "not_found",
  "No adapter of that type is loaded.",
) {}

export class UiParserNotFound extends refusal(
  "ui_parser_not_found",
  "not_found",
  "The adapter has no UI parser of this service's contract version.",
) {}
