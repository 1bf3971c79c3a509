import { refusal } from "../shared/failure.ts";
import type { CompanyId } from "../shared/ids.ts";
import type { NoticeKind } from "./notice-kind.ts";
import type { NoticeSettings } from "./notice-settings.ts";

export class UnsubscribeTokenNotValid extends refusal(
  "unsubscribe_token_not_valid",
  "not_found",
  "This link isn't valid. Change your notices in your profile.",
) {}

/** Kinds of notices that belong to no company. */
type OwnKind = "digest" | "sign_in";

/** The email that a link turns off: that of a company, of such a kind, or all. */
export type UnsubscribeScope = CompanyId | OwnKind | "all";

const isOwnKind = (text: string): text is OwnKind => text === "digest" || text === "sign_in";

/** The email that the link in a notice turns off. */
export const unsubscribeScope = (notice: {
  readonly kind: NoticeKind | "test";
  readonly companyId: CompanyId | null;
}): UnsubscribeScope => (isOwnKind(notice.kind) ? notice.kind : (notice.companyId ?? "all"));

/** The settings of a person without the email of the scope. */
export const withoutEmail = (settings: NoticeSettings, scope: UnsubscribeScope): NoticeSettings => {
  const { channels, companies } = settings;
  const none = { push: channels.push.kinds, email: [], chat: channels.chat.kinds };
  const emailKinds = (kinds: readonly NoticeKind[]): NoticeSettings => ({
    ...settings,
    channels: { ...channels, email: { ...channels.email, kinds } },
  });
  if (isOwnKind(scope)) return emailKinds(channels.email.kinds.filter((kind) => kind !== scope));
  if (scope === "all")
    return {
      ...emailKinds([]),
      companies: companies.map((each) => ({ ...each, kinds: { ...each.kinds, email: [] } })),
    };
  const own = companies.find(({ companyId }) => companyId === scope);
  const without =
    own === undefined ? { companyId: scope, kinds: none } : { ...own, kinds: { ...own.kinds, email: [] } };
  return { ...settings, companies: [...companies.filter((each) => each !== own), without] };
};
