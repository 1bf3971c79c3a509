/** For the check of adapter packages, which must take the UI parsers that the service takes. */
export { uiParserScript } from "../../adapters-infra/plugins/read-ui-parser.ts";
