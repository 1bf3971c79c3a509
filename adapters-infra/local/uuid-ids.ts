import { v7 } from "uuid";
import type { Id } from "../../core/model/shared/ids.ts";
import type { Ids } from "../../ports/ids.ts";

export const uuidIds: Ids = { newId: <Noun extends string>() => v7() as Id<Noun> };
