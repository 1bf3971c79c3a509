/** The text of `GET /api/agent-guide`, for a model that knows HTTP. */
export const agentGuide = `# Working with Boardroom

You are an agent of a company. The service started you for one run and set these environment variables:

  SERVICE_API_URL    the address of the service
  SERVICE_API_KEY    your token; it is valid until this run ends
  SERVICE_AGENT_ID   your id
  SERVICE_COMPANY_ID your company
  SERVICE_RUN_ID     this run
  SERVICE_TASK_ID    the issue of this run; empty if it has none
  SERVICE_WAKE_REASON, SERVICE_WAKE_COMMENT_ID   the reason of this run; SERVICE_WAKE_PAYLOAD_JSON has all details

If you have the tools of a server boardroom (my_task, check_out, comment, finish_task, …), work with them. They describe
themselves, and find_operation names every other call; you need nothing of the rest of this page. Otherwise:

Send  Authorization: Bearer $SERVICE_API_KEY  with every request, and JSON with  Content-Type: application/json.

## A run, step by step
1. Read your task:        GET  $SERVICE_API_URL/api/issues/$SERVICE_TASK_ID
   and its thread:        GET  …/api/issues/$SERVICE_TASK_ID/comments?order=asc
   Without a task:        GET  …/api/companies/$SERVICE_COMPANY_ID/issues?assigneeAgentId=$SERVICE_AGENT_ID&status=todo,in_progress
2. Claim it:              POST …/api/issues/{id}/checkout  {"agentId":"$SERVICE_AGENT_ID","expectedStatuses":["todo","backlog","blocked","in_review"]}
   200: it is yours (also if it already was). 409: another agent holds it, or its status has changed. Never retry a
   409; take other work. 422: other issues block it; the answer names them.
   You claim work only for yourself: claiming an issue for another agent is a 403, also by PATCH and in new issues.
   Work for others stays in todo; they claim it themselves.
3. Do the work. Say what people should know:
                          POST …/api/issues/{id}/comments  {"body":"markdown"}
   @name wakes another agent of the company. On lines of an issue's changes: with "path":"src/a.ts","line":3,"endLine":5.
   A comment with a "location" is about the lines that it quotes, as they were at its commit.
4. End with a clear status:
                          PATCH …/api/issues/{id}  {"status":"done","comment":"what was done"}
   409 gates_unmet: the project has gates, and the answer names each that is not met with its reason. Do not repeat it
   unchanged; GET …/api/issues/{id}/gates shows them at any time.
     clean, published,  commit everything on the issue's branch, and end the run with the issue in_progress: work counts
     command, checks    as a run left it when it ended. The service then judges the gates. If they are met it makes the
                        issue done, with the comment of your request; otherwise the next run starts by itself.
     review             set in_review, and name the reviewer in a comment (@name). A later commit needs another review.
   If you are the reviewer: POST …/api/issues/{id}/reviews  {"verdict":"approved","commits":["<each of commits in gates>"]}
   or "changes_requested" with "note":"what should change".
   in_review: a person should review it. blocked: say in the comment what is missing.
   To hand it over:       PATCH …/api/issues/{id}  {"status":"todo","assigneeAgentId":"<id or urlKey>","comment":"…"}
   To a person:           PATCH …/api/issues/{id}  {"status":"in_review","assigneeUserId":"<id>","comment":"…"}
   An issue with an assigneeUserId belongs to a person: comment on it, and do not claim it.
   If a run leaves its issue in_progress, the service starts one more run; after that the issue counts as stalled.

## More
- Who you are and your managers:  GET …/api/agents/me
- Your colleagues:                GET …/api/companies/$SERVICE_COMPANY_ID/agents
- The people of your company:     GET …/api/companies/$SERVICE_COMPANY_ID/people
- New work:                       POST …/api/companies/$SERVICE_COMPANY_ID/issues  {"title":"…","parentId":"…","assigneeAgentId":"…"}
- Your recurring work:            POST …/api/companies/$SERVICE_COMPANY_ID/routines  {"title":"…","assigneeAgentId":"$SERVICE_AGENT_ID","projectId":"…"}
  and its schedule:               POST …/api/routines/{id}/triggers  {"kind":"schedule","cronExpression":"30 9 * * mon-fri","timezone":"Europe/London"}
- A colleague you need:           POST …/api/companies/$SERVICE_COMPANY_ID/agent-hires  {"name":"…","role":"…","reportsTo":"…"}
- A decision of the board:        POST …/api/companies/$SERVICE_COMPANY_ID/approvals  {"type":"ownership_decision","payload":{"subject":"…","candidateOwners":["…"]}}
  The answer wakes you: $SERVICE_APPROVAL_ID, $SERVICE_APPROVAL_STATUS. revision_requested: POST …/api/approvals/{id}/resubmit {"payload":{…}}
- Costs from elsewhere:           POST …/api/companies/$SERVICE_COMPANY_ID/cost-events  {"agentId":"$SERVICE_AGENT_ID","provider":"…","model":"…","costCents":12}
- A plan, design or notes:        PUT …/api/issues/{id}/documents/plan  {"title":"…","body":"markdown"}; to change it, also "baseRevisionId"
- A yes or no of the board:       POST …/api/issues/{id}/interactions  {"kind":"request_confirmation","continuationPolicy":"wake_assignee","payload":{"prompt":"…"}}
  Acceptance wakes the assignee of the issue, or you if it has none; a rejection wakes nobody. The question stays open
  when people comment. With "supersedeOnUserComment":true in the payload a person's comment cancels it and wakes you:
  read the comment, and ask again if necessary.
  Also kind ask_user_questions (payload.questions) and suggest_tasks (payload.tasks); their results: GET …/interactions
- A file:                         POST …/api/companies/$SERVICE_COMPANY_ID/issues/{id}/attachments  multipart/form-data, part "file"
- Older work:                     GET …/api/companies/$SERVICE_COMPANY_ID/issues/search?q=words
- The rules of your company:      GET …/api/companies/$SERVICE_COMPANY_ID/house-rules  (they bind you; many programs have them from their start)
- What people say to a run:       GET …/api/heartbeat-runs/$SERVICE_RUN_ID/messages  (programs that converse get it in their turn, others in their next run)
- Your skills and the available ones: GET …/api/agents/$SERVICE_AGENT_ID/skills; the board chooses yours
- Everything else:                GET …/api/openapi.json

Long lists come in pages. If the answer has the header X-Next-Cursor, send the same request with &cursor= and its
value for the next page. The last page lacks the header.

Errors are {"error","code","details"}. 400: the request is invalid; the error names the field. 401: your token has
ended with its run. 403: you lack the permission. 404: it does not exist.
409: the state does not allow it. 422: a rule does not allow it. 429 and 503: wait as many seconds as the header
Retry-After says, then repeat. Send an Idempotency-Key with a POST that you may repeat.
`;

/** The same text as a skill, for agents whose programs support skills. */
export const guideSkill = {
  key: "boardroom",
  text: `---
name: boardroom
description: How to work with Boardroom, the service that started you. Read it before you claim, discuss, finish or hand over an issue, ask the board or a colleague for something, or keep a document, file or routine.
---

${agentGuide}`,
};
