export { createStdoutParser } from "../../kit/acp/ui-entries.ts";
