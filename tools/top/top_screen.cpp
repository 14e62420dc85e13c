//===- top_screen.cpp - The screen of pagetide top ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// curses.h would have macros with common names.
#define NCURSES_NOMACROS

#include "top/top_screen.h"

#include "support/failure.h"
#include "support/held_signals.h"
#include "support/text_wrap.h"
#include "support/unique_fd.h"
#include "top/top_text.h"

#include <curses.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace pagetide::tools {

namespace {

using Clock = std::chrono::steady_clock;

/// Keys must be answered meanwhile.
constexpr auto kReadingTime = std::chrono::milliseconds(200);
constexpr int kEscapeMs = 25;
constexpr int kEscape = 27;
/// A terminal with fewer lines gets a lower curve.
constexpr int kMinLinesOfCurve = 36;
constexpr std::size_t kLowCurve = 3;
/// Lines that the tables of one process do not have.
constexpr int kLinesBesideTables = 24;
constexpr int kMinTable = 3;

/// Waits with control-Z until all is drawn. ncurses would lose one that comes
/// while it draws. It leaves the signal to a handler that is there before it.
class HeldSuspension {
public:
  HeldSuspension() {
    ::sigaction(SIGTSTP, nullptr, &before_);
    if (before_.sa_handler == SIG_IGN) // the shell has no job control
      return;
    sigemptyset(&set_);
    sigaddset(&set_, SIGTSTP);
    ::sigprocmask(SIG_BLOCK, &set_, nullptr);
    handle();
    fd_.reset(::signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK));
  }

  ~HeldSuspension() {
    if (before_.sa_handler == SIG_IGN)
      return;
    ::sigaction(SIGTSTP, &before_, nullptr);
    ::sigprocmask(SIG_UNBLOCK, &set_, nullptr);
  }

  HeldSuspension(const HeldSuspension &) = delete;

  /// Readable when control-Z has come. -1: it never does.
  int fd() const { return fd_.get(); }
  /// Gives the terminal back, stops until the user continues this program, and
  /// takes the terminal again.
  void suspend() {
    signalfd_siginfo come;
    if (::read(fd(), &come, sizeof(come)) != sizeof(come))
      return;
    ::endwin();
    ::sigaction(SIGTSTP, &before_, nullptr);
    ::raise(SIGTSTP);
    ::sigprocmask(SIG_UNBLOCK, &set_, nullptr); // stops here
    ::sigprocmask(SIG_BLOCK, &set_, nullptr);
    handle();
    ::clearok(curscr, true);
    ::raise(SIGWINCH); // the size may be another one
  }

private:
  static void handle() {
    struct sigaction action = {};
    action.sa_handler = [](int) {};
    ::sigaction(SIGTSTP, &action, nullptr);
  }

  struct sigaction before_ = {};
  sigset_t set_ = {};
  UniqueFd fd_;
};

/// The terminal in the state that a screen needs, while this object lives.
class Terminal {
public:
  Terminal() {
    if (!::isatty(STDIN_FILENO) || !::isatty(STDOUT_FILENO))
      throw Failure("top: standard input and output are no terminal; for plain "
                    "text use --batch or --once");
    std::setlocale(LC_CTYPE, "");
    // ncurses has handlers that end the program, and this one ends itself.
    struct sigaction interrupt;
    struct sigaction termination;
    ::sigaction(SIGINT, nullptr, &interrupt);
    ::sigaction(SIGTERM, nullptr, &termination);
    screen_ = ::newterm(nullptr, stdout, stdin);
    ::sigaction(SIGINT, &interrupt, nullptr);
    ::sigaction(SIGTERM, &termination, nullptr);
    if (!screen_) {
      const char *type = std::getenv("TERM");
      throw Failure(
          "top: the terminal type {} is not known; set TERM, or use --batch",
          type ? type : "(TERM is not set)");
    }
    ::cbreak();
    ::noecho();
    ::nonl();
    ::keypad(stdscr, true);
    ::nodelay(stdscr, true);
    ::set_escdelay(kEscapeMs);
    ::curs_set(0);
  }

  ~Terminal() {
    ::endwin();
    ::delscreen(screen_);
  }

  Terminal(const Terminal &) = delete;

private:
  SCREEN *screen_ = nullptr;
};

std::vector<std::string> lines_of(const std::string &text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return lines;
}

void draw_line(int at, const std::string &line, attr_t attributes) {
  const auto width = static_cast<std::size_t>(COLS);
  ::attrset(static_cast<int>(attributes));
  ::mvaddstr(at, 0,
             columns_of(line) > width || (attributes & A_REVERSE)
                 ? fitted_at_end(line, width).c_str()
                 : line.c_str());
  ::attrset(A_NORMAL);
}

class Screen {
public:
  Screen(LiveProcesses &processes, bool of_one)
      : processes_(processes), of_one_(of_one) {}

  void draw() {
    if (of_one_ || details_)
      draw_process();
    else
      draw_list();
    draw_help();
    ::refresh();
  }

  /// Takes all keys that the user has pressed. False if one of them is q.
  bool take_keys() {
    for (int key; (key = ::getch()) != ERR;) {
      if (move(key)) {
        // The selection must be valid before the next key.
        selected_ = std::min(selected_,
                             std::max(static_cast<int>(listed_.size()), 1) - 1);
        continue;
      }
      switch (key) {
      case 'q':
        return false;
      case 'p':
      case ' ':
        is_paused_ = !is_paused_;
        break;
      case 'a':
        order_ = TopOrder::kAccessed;
        break;
      case 'r':
        order_ = TopOrder::kRead;
        break;
      case 'w':
        order_ = TopOrder::kWritten;
        break;
      case 'n':
        order_ = TopOrder::kNumber;
        break;
      case 'c':
        order_ = TopOrder::kName;
        break;
      case '\n':
      case '\r':
      case KEY_ENTER:
      case KEY_RIGHT:
      case 'l':
        open_selected();
        break;
      case kEscape:
      case KEY_LEFT:
      case KEY_BACKSPACE:
      case 'h':
        close_details();
        break;
      default: // KEY_RESIZE too: the next drawing has the new size
        break;
      }
    }
    return true;
  }

  bool is_paused() const { return is_paused_; }

private:
  TopView view() const {
    TopView view = view_now(order_);
    view.style.width = static_cast<std::size_t>(std::max(COLS, 60));
    view.style.top = static_cast<std::size_t>(
        std::max((LINES - kLinesBesideTables) / 2, kMinTable));
    if (LINES < kMinLinesOfCurve)
      view.curve_height = kLowCurve;
    return view;
  }

  void draw_list() {
    const LiveProcess *before =
        selected_ < static_cast<int>(listed_.size())
            ? listed_[static_cast<std::size_t>(selected_)]
            : nullptr;
    ProcessList list = list_text(processes_, view());
    listed_ = std::move(list.processes);
    // The selection stays with its process, wherever that has moved.
    const auto found = std::find(listed_.begin(), listed_.end(), before);
    if (found != listed_.end())
      selected_ = static_cast<int>(found - listed_.begin());
    selected_ = std::clamp(selected_, 0,
                           std::max(static_cast<int>(listed_.size()), 1) - 1);
    draw_text(list.text, listed_.empty()
                             ? -1
                             : static_cast<int>(list.first_row) + selected_);
  }

  void draw_process() { draw_text(process_text(*shown(), view()), -1); }
  void draw_help() {
    std::string help = is_paused_ ? "PAUSED  " : "";
    help += "q quit  p pause  ";
    if (!of_one_)
      help += details_ ? "esc back  " : "enter details  ";
    help += "sort: a accessed  r read  w written  n number  c name";
    draw_line(LINES - 1, help, A_REVERSE);
  }

  void draw_text(const std::string &text, int selected) {
    const std::vector<std::string> lines = lines_of(text);
    const int room = std::max(LINES - 1, 1);
    lines_ = static_cast<int>(lines.size());
    if (selected >= 0) {
      first_line_ = std::min(first_line_, selected);
      first_line_ = std::max(first_line_, selected - room + 1);
      if (selected_ == 0)
        first_line_ = 0;
    }
    first_line_ = std::clamp(first_line_, 0, std::max(lines_ - room, 0));
    ::erase();
    for (int i = 0; i < room && first_line_ + i < lines_; ++i) {
      const int line = first_line_ + i;
      draw_line(i, lines[static_cast<std::size_t>(line)],
                line == selected ? A_REVERSE
                : line == 0      ? A_BOLD
                                 : A_NORMAL);
    }
  }

  /// The last recording of the process, which may have called exec since.
  const LiveProcess *shown() const {
    return of_one_ ? processes_.all().back().get() : details_;
  }

  /// Takes the key if it moves in what is shown.
  bool move(int key) {
    switch (key) {
    case KEY_UP:
    case 'k':
      move_by(-1);
      return true;
    case KEY_DOWN:
    case 'j':
      move_by(1);
      return true;
    case KEY_PPAGE:
      move_by(-(LINES - 2));
      return true;
    case KEY_NPAGE:
      move_by(LINES - 2);
      return true;
    case KEY_HOME:
    case 'g':
      move_by(-selected_ - first_line_);
      return true;
    case KEY_END:
    case 'G':
      move_by(lines_ + static_cast<int>(listed_.size()));
      return true;
    default:
      return false;
    }
  }

  void move_by(int lines) {
    if (!of_one_ && !details_)
      selected_ = std::max(selected_ + lines, 0);
    else
      first_line_ = std::max(first_line_ + lines, 0);
  }

  void open_selected() {
    if (of_one_ || details_ || listed_.empty())
      return;
    details_ = listed_[static_cast<std::size_t>(selected_)];
    processes_.keep(details_);
    first_line_ = 0;
  }

  void close_details() {
    details_ = nullptr;
    processes_.keep(nullptr);
    first_line_ = 0;
  }

  LiveProcesses &processes_;
  bool of_one_;
  bool is_paused_ = false;
  TopOrder order_ = TopOrder::kAccessed;
  const LiveProcess *details_ = nullptr; ///< null: the list is shown
  std::vector<const LiveProcess *> listed_;
  int selected_ = 0; ///< in listed_
  int first_line_ = 0;
  int lines_ = 0; ///< of the text that is shown
};

} // namespace

void show_on_terminal(LiveProcesses &processes, bool of_one,
                      std::chrono::milliseconds delay) {
  // Signals end the program after the terminal is what it was.
  const HeldSignals held;
  HeldSuspension suspension;
  const Terminal terminal;
  Screen screen(processes, of_one);
  Clock::time_point next = Clock::now();
  for (;;) {
    if (!screen.is_paused() && Clock::now() >= next) {
      processes.refresh(kReadingTime);
      next = Clock::now() + delay;
    }
    screen.draw();
    const auto wait = std::chrono::ceil<std::chrono::milliseconds>(
        screen.is_paused() ? Clock::duration(delay) : next - Clock::now());
    pollfd fds[] = {{STDIN_FILENO, POLLIN, 0},
                    {held.fd(), POLLIN, 0},
                    {suspension.fd(), POLLIN, 0}};
    const int count =
        ::poll(fds, 3, static_cast<int>(std::max<long>(wait.count(), 0)));
    if (count < 0 && errno != EINTR)
      throw Failure("top: poll failed: {}", std::strerror(errno));
    const bool hung_up = count > 0 && (fds[0].revents & (POLLHUP | POLLERR));
    if ((count > 0 && fds[1].revents) || hung_up || !screen.take_keys())
      return;
    if (count > 0 && fds[2].revents)
      suspension.suspend();
  }
}

} // namespace pagetide::tools
