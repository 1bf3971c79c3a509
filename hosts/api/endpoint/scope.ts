import { scopeOfCall } from "../../../core/model/access/assistant-rights.ts";
import type { AssistantScope } from "../../../core/model/access/assistant-scope.ts";
import type { Endpoint } from "./endpoint.ts";

/** The scope that an assistant needs for a call of the endpoint. */
export const scopeOf = ({ method, access }: Endpoint): AssistantScope =>
  scopeOfCall(method !== "GET", access.action);
