// SPDX-License-Identifier: Apache-2.0
/// A few steps that no signal shall come between.
#pragma once

#include <pthread.h>

#include <csignal>

namespace crivo::file {

/// Holds back the signals that end a program, on this thread, while it lives: one that comes
/// meanwhile is delivered afterwards. (Other threads must block them themselves.)
class SignalPause {
 public:
  SignalPause() noexcept {
    sigset_t ending;
    sigemptyset(&ending);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) sigaddset(&ending, signal);
    pthread_sigmask(SIG_BLOCK, &ending, &before_);
  }
  ~SignalPause() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalPause(const SignalPause&) = delete;
  SignalPause& operator=(const SignalPause&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace crivo::file
