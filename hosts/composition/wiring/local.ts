import { join } from "node:path";
import { aesCipher } from "../../../adapters-infra/local/aes-cipher.ts";
import { cronerCalendar } from "../../../adapters-infra/local/croner-calendar.ts";
import { eventSigning } from "../../../adapters-infra/local/event-signing.ts";
import { freeBytes } from "../../../adapters-infra/local/free-disk.ts";
import { skillCatalogue } from "../../../adapters-infra/local/skill-catalogue.ts";
import { svgProblem } from "../../../adapters-infra/local/svg-inspector.ts";
import { tokenCredentials } from "../../../adapters-infra/local/token-credentials.ts";
import { uuidIds } from "../../../adapters-infra/local/uuid-ids.ts";
import { webhookSigning } from "../../../adapters-infra/local/webhook-signing.ts";
import { smtpMail } from "../../../adapters-infra/mail/smtp-mail.ts";
import { openIdProviders } from "../../../adapters-infra/oidc/openid-providers.ts";
import { clientDocuments } from "../../../adapters-infra/outbound/client-documents.ts";
import { outboundPosts } from "../../../adapters-infra/outbound/outbound-posts.ts";
import { shippedTemplates } from "../../../adapters-infra/template-folder/shipped-templates.ts";
import { webPushMessages } from "../../../adapters-infra/web-push/web-push-messages.ts";
import { webauthnPasskeys } from "../../../adapters-infra/webauthn/webauthn-passkeys.ts";
import { BlobsUnavailable } from "../../../ports/blob-store.ts";
import { Outage } from "../../../ports/outage.ts";
import { recentOutages } from "../../api/endpoint/outages.ts";
import { guideSkill } from "../../api/system/agent-guide.ts";
import type { Bind, Foundations } from "./foundations.ts";
import { openBlobs } from "./open-blobs.ts";
import { T } from "./tokens.ts";

/** Binds what needs this process and its data directory alone; files are in S3 where the settings name a bucket. */
export const bindLocal = (
  bind: Bind,
  { config, keyRing, serviceKeys, log, clock, telemetry }: Foundations,
): void => {
  bind(T.ids).toConstantValue(uuidIds);
  bind(T.keyRing).toConstantValue(keyRing);
  bind(T.cipher).toConstantValue(aesCipher(keyRing));
  bind(T.credentials).toConstantValue(tokenCredentials(serviceKeys));
  bind(T.identityProviders).toConstantValue(openIdProviders(config.signInProviders));
  bind(T.passkeys).toConstantValue(webauthnPasskeys);
  bind(T.calendar).toConstantValue(cronerCalendar());
  bind(T.webhookSigning).toConstantValue(webhookSigning);
  bind(T.eventSigning).toConstantValue(eventSigning);
  bind(T.clientDocuments).toConstantValue(clientDocuments(config.outboundPrivateHosts));
  bind(T.outboundPosts).toConstantValue(outboundPosts(config.outboundPrivateHosts));
  bind(T.mail).toConstantValue(config.mail === null ? null : smtpMail(config.mail));
  bind(T.webPush).toConstantValue(
    webPushMessages(serviceKeys.derive("web push"), pushSubject(config.publicUrl)),
  );
  bind(T.svgInspector).toConstantValue(svgProblem);
  bind(T.skillCatalogue).toConstantValue(
    skillCatalogue({ catalogue: join(config.dataDir, "skills"), own: guideSkill }),
  );
  bind(T.shippedTemplates).toConstantValue(shippedTemplates);
  const outages = recentOutages(
    () => clock.now(),
    () => freeBytes(config.dataDir),
  );
  bind(T.outages).toConstantValue(outages);
  bind(T.telemetry).toConstantValue(telemetry);
  const onBlobFailure = (err: unknown) => {
    log.error({ err }, "files cannot be stored or read");
    outages.note(new Outage("Files cannot be stored or read.", new BlobsUnavailable(), err));
  };
  bind(T.blobs).toConstantValue(openBlobs(config, onBlobFailure));
};

/** Push services want an address of the sender. Apple's refuses one on this machine; iPhones need https in any case. */
const pushSubject = (publicUrl: string | null): string =>
  publicUrl?.startsWith("https:") ? publicUrl : "mailto:boardroom@localhost";
