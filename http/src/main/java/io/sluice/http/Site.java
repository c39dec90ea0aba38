package io.sluice.http;

import java.util.concurrent.CompletionStage;

/** What a process answers besides metrics and health. Called by the worker: must not block. */
public interface Site {
  /** Knows nothing. */
  Site NONE =
      new Site() {
        @Override
        public boolean owns(String path) {
          return false;
        }

        @Override
        public CompletionStage<Answer> answer(Request request) {
          throw new IllegalStateException("nothing is here: " + request.path());
        }
      };

  /** Whether requests for a path, as it was sent, are answered here. */
  boolean owns(String path);

  /**
   * Answers a request. A stage that fails, as an exception does, is a bug: the client is told 500,
   * the log why.
   *
   * @return completes on any thread; the connection is given up if that takes too long
   */
  CompletionStage<Answer> answer(Request request);

  /**
   * What to say of a body of more than {@link StatusPages#MAX_BODY} bytes; called by event loops.
   */
  default Answer tooLarge() {
    return Answer.text(413, "text/plain; charset=utf-8", "too long\n");
  }

  /**
   * What to say of what is no request, or one whose first line or headers are too long; called by
   * event loops.
   */
  default Answer malformed() {
    return Answer.text(400, "text/plain; charset=utf-8", "not a request\n");
  }
}
