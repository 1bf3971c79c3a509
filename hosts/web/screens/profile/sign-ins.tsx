import { useRead } from "../../live/calls.ts";
import { signInLabels } from "../../nouns/access/sign-in-labels.ts";
import { Problem } from "../../widgets/field.tsx";
import { Section } from "../../widgets/section.tsx";
import { Time } from "../../widgets/time.tsx";

interface Result {
  readonly refusal: string | null;
  readonly newDevice: boolean;
}

const resultOf = ({ refusal, newDevice }: Result): string => {
  if (refusal !== null) return "Refused";
  return newDevice ? "Signed in on a new device" : "Signed in";
};

/** The person's last sign-ins, and those that were refused. */
export const SignIns = () => {
  const signIns = useRead("session.signIns", {});
  const all = signIns.data ?? [];
  return (
    <Section title="Recent sign-ins">
      {signIns.error === null ? null : <Problem error={signIns.error} />}
      {signIns.data !== undefined && all.length === 0 ? (
        <p className="muted">Your sign-ins of the last 30 days show up here.</p>
      ) : null}
      <ul className="plain-list">
        {all.map((each) => (
          <li key={each.id} className="row list-row">
            <span className="grow">
              {resultOf(each)} {signInLabels[each.method]}
              <span className="faint">
                {` · ${each.device ?? "Unknown browser"}`}
                {each.address === null ? null : ` · ${each.address}`}
                {" · "}
                <Time at={each.createdAt} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
};
