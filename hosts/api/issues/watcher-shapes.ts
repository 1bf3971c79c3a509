import { z } from "zod";
import { id, Timestamp } from "../endpoint/values.ts";

export const WatcherShape = z.object({ userId: id, name: z.string(), watchingSince: Timestamp });
