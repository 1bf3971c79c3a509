import { useState } from "react";
import type { AssistantScope } from "../../../../core/model/access/assistant-scope.ts";
import { type AnswerOf, useRead, useWrite } from "../../live/calls.ts";
import { useSession } from "../../live/session.ts";
import { scopeLabels } from "../../nouns/access/scope-labels.ts";
import { Button } from "../../widgets/button.tsx";
import { CheckField, Problem } from "../../widgets/field.tsx";
import { Page } from "../../widgets/page.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";

type Asked = AnswerOf<"assistants.check">;

/** Asks the person whether an assistant may act for them. Nothing leads away from here but their own click. */
export const ConnectScreen = () => {
  const [request] = useState(() => location.search.slice(1) || "none");
  const asked = useRead("assistants.check", { request }, { staleTime: 0 });
  const [leftFor, setLeftFor] = useState<string | null>(null);
  const leave = (url: string, name: string) => {
    setLeftFor(name);
    location.assign(url);
  };
  return (
    <Page title="Connect an assistant">
      <div className="sections">
        {leftFor !== null ? (
          <p>You can close this page and go back to {leftFor}.</p>
        ) : asked.error !== null ? (
          <Problem error={asked.error} />
        ) : asked.data === undefined ? (
          <Skeleton rows={3} />
        ) : (
          <Consent request={request} asked={asked.data} onLeave={leave} />
        )}
      </div>
    </Page>
  );
};

interface ConsentProps {
  readonly request: string;
  readonly asked: Asked;
  readonly onLeave: (url: string, name: string) => void;
}

const Consent = ({ request, asked, onLeave }: ConsentProps) => {
  const { name, host, site, scopes, problem, returnUrl } = asked;
  const { name: person } = useSession();
  const [allowed, setAllowed] = useState<readonly AssistantScope[]>(scopes);
  const allow = useWrite("assistants.allow", { onDone: ({ redirectUrl }) => onLeave(redirectUrl, name) });
  if (problem !== null)
    return (
      <>
        <p className="problem" role="alert">
          {name} can't be connected: {problem}
        </p>
        <div className="row">
          <Button onClick={() => onLeave(returnUrl, name)}>Go back to {host}</Button>
        </div>
      </>
    );
  return (
    <>
      <p>
        <strong>{name}</strong> wants to act for you, {person}, in Boardroom.
      </p>
      <p className="problem">
        {site === null
          ? `Anyone can use the name ${name}. Continue only if you just started this yourself.`
          : `${site} describes this assistant. Continue only if you trust that site.`}
      </p>
      <p>
        You go back to <strong>{host}</strong>.
      </p>
      <fieldset className="field">
        <legend>{name} may</legend>
        {scopes.map((scope) => (
          <CheckField
            key={scope}
            name="scopes"
            {...scopeLabels[scope]}
            checked={allowed.includes(scope)}
            onChange={(isChecked) =>
              setAllowed(scopes.filter((each) => (each === scope ? isChecked : allowed.includes(each))))
            }
          />
        ))}
      </fieldset>
      <p className="muted">
        It has your rights in all your companies. It can't create tokens or passkeys, or do what asks for your
        passkey. You can disconnect it in your profile.
      </p>
      {allow.error === null ? null : <Problem error={allow.error} />}
      <div className="row">
        <Button
          kind="main"
          busy={allow.busy}
          disabled={allowed.length === 0}
          onClick={() => allow.run({ request, scopes: [...allowed] })}
        >
          Allow
        </Button>
        <Button onClick={() => onLeave(returnUrl, name)}>Deny</Button>
      </div>
    </>
  );
};
