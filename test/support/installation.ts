import { randomUUID } from "node:crypto";
import type { InstallationId } from "../../core/model/shared/ids.ts";

/** Of the runners that this file starts without a service, so that other files leave their programs alone. */
export const installation = randomUUID() as InstallationId;
/** Of runners that stand for a copy of it. */
export const anotherInstallation = randomUUID() as InstallationId;
