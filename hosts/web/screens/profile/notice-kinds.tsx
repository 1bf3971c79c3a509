import {
  type NoticeChannelName,
  type NoticeKind,
  noticeKinds,
} from "../../../../core/model/notices/notice-kind.ts";
import { CheckField } from "../../widgets/field.tsx";

const labels: Readonly<Record<NoticeKind, string>> = {
  decision: "Waiting for my decision",
  mention: "Mentions of me",
  followed: "Issues I follow",
  run_failed: "Failed runs",
  budget: "Budgets",
  sign_in: "New or refused sign-ins",
  digest: "Daily digest",
};

export const channelLabels: Readonly<Record<NoticeChannelName, string>> = {
  push: "Push",
  email: "Email",
  chat: "Chat",
};

const ofNoCompany: readonly NoticeKind[] = ["digest", "sign_in"];

/** The kinds of notices by one channel. */
export const NoticeKinds = ({
  channel,
  of,
  kinds,
  onChange,
}: {
  readonly channel: NoticeChannelName;
  /** The name of the company; omitted: the kinds of all without kinds of their own. */
  readonly of?: string;
  readonly kinds: readonly NoticeKind[];
  readonly onChange: (kinds: readonly NoticeKind[]) => void;
}) => {
  const offered = noticeKinds.filter((kind) => of === undefined || !ofNoCompany.includes(kind));
  const name = channelLabels[channel];
  return (
    <fieldset className="checks">
      <legend>{of === undefined ? name : `${name} about ${of}`}</legend>
      {offered.map((kind) => (
        <CheckField
          key={kind}
          label={labels[kind]}
          name={`${channel}.${kind}`}
          checked={kinds.includes(kind)}
          onChange={(isChecked) =>
            onChange(noticeKinds.filter((each) => (each === kind ? isChecked : kinds.includes(each))))
          }
        />
      ))}
    </fieldset>
  );
};
