import { Component, type ReactNode } from "react";
import { BoardroomError, ServiceUnreachable } from "../../library/client-error.ts";
import { Button } from "./button.tsx";
import { Empty } from "./empty.tsx";

const titleOf = (error: unknown): string => {
  if (error instanceof ServiceUnreachable)
    return navigator.onLine ? "The service isn't responding" : "You're offline";
  if (!(error instanceof BoardroomError)) return "Something went wrong";
  if (error.status === 404) return "Not found";
  if (error.status === 403) return "Access denied";
  return "Request denied";
};

/** The refusal in place of the content, in the service's sentence, with a way on. */
export const ErrorView = ({ error, retry }: { readonly error: unknown; readonly retry?: () => void }) => {
  const [title, sentence] = [titleOf(error), error instanceof Error ? error.message : String(error)];
  return (
    <div role="alert">
      <Empty
        icon="circle-alert"
        title={title}
        action={
          retry === undefined ? undefined : (
            <Button icon="refresh-cw" onClick={retry}>
              Try again
            </Button>
          )
        }
      >
        {sentence === `${title}.` ? undefined : sentence}
      </Empty>
    </div>
  );
};

/** Keeps what breaks in one screen from taking the page with it. `resetKey` changes where another is shown. */
export class ErrorBoundary extends Component<
  { readonly children: ReactNode; readonly resetKey: string },
  { readonly error: unknown }
> {
  override state = { error: null as unknown };
  static getDerivedStateFromError(error: unknown) {
    return { error };
  }
  override componentDidUpdate(before: { readonly resetKey: string }) {
    if (before.resetKey !== this.props.resetKey && this.state.error !== null) this.setState({ error: null });
  }
  override render() {
    if (this.state.error === null) return this.props.children;
    return <ErrorView error={this.state.error} retry={() => this.setState({ error: null })} />;
  }
}
