//===- sqlite.cpp - All tables in an SQLite database ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "export/export.h"

#include "export/table.h"
#include "support/failure.h"
#include "support/replaced_file.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <map>

namespace pagetide::tools {

namespace {

/// docs/reference/cli-output.md describes the schema of this version.
constexpr int kSchemaVersion = 1;
/// "PgTd": tells `file` and others whose database it is.
constexpr int kApplicationId = 0x50675464;

struct CloseDatabase {
  void operator()(sqlite3 *database) const { sqlite3_close(database); }
};
struct FinalizeStatement {
  void operator()(sqlite3_stmt *statement) const {
    sqlite3_finalize(statement);
  }
};
using Statement = std::unique_ptr<sqlite3_stmt, FinalizeStatement>;

class Database {
public:
  /// `name` is the file's in messages.
  Database(const std::string &path, std::string name) : name_(std::move(name)) {
    sqlite3 *database = nullptr;
    const int status =
        sqlite3_open_v2(path.c_str(), &database,
                        // One thread uses it.
                        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, nullptr);
    database_.reset(database);
    if (status != SQLITE_OK)
      fail();
  }

  [[noreturn]] void fail() {
    throw Failure("{}: SQLite cannot write the database: {}", name_,
                  database_ ? sqlite3_errmsg(database_.get())
                            : "memory ran out");
  }
  void check(int status) {
    if (status != SQLITE_OK && status != SQLITE_DONE && status != SQLITE_ROW)
      fail();
  }
  void run(const std::string &statements) {
    check(sqlite3_exec(database_.get(), statements.c_str(), nullptr, nullptr,
                       nullptr));
  }
  Statement prepare(const std::string &text) {
    sqlite3_stmt *statement = nullptr;
    check(sqlite3_prepare_v2(database_.get(), text.c_str(), -1, &statement,
                             nullptr));
    return Statement(statement);
  }
  /// Runs a statement that returns no rows.
  void step(const Statement &statement) {
    check(sqlite3_step(statement.get()));
    check(sqlite3_reset(statement.get()));
  }
  void close() {
    const int status = sqlite3_close(database_.release());
    if (status != SQLITE_OK)
      throw Failure("{}: SQLite cannot close the database: {}", name_,
                    sqlite3_errstr(status));
  }

private:
  std::string name_;
  std::unique_ptr<sqlite3, CloseDatabase> database_;
};

int bind_text(const Statement &statement, int at, std::string_view text) {
  return sqlite3_bind_text(statement.get(), at, text.data(),
                           static_cast<int>(text.size()), SQLITE_STATIC);
}

/// SQLite's integers have a sign. Numbers from 2^63 on keep their bits.
int bind_number(const Statement &statement, int at, std::uint64_t number) {
  return sqlite3_bind_int64(statement.get(), at,
                            static_cast<sqlite3_int64>(number));
}

/// Names of mappings, each once. Rows of pages have their numbers.
class NameTable {
public:
  explicit NameTable(Database &database)
      : database_(database),
        insert_(database.prepare("INSERT INTO names VALUES (?, ?)")) {}

  void begin_trace() { of_trace_.clear(); }

  /// The number of a name. `in_trace` is its number within the trace.
  std::uint64_t number(std::uint64_t in_trace, std::string_view name) {
    if (in_trace < of_trace_.size() && of_trace_[in_trace] != 0)
      return of_trace_[in_trace];
    const auto [at, is_new] =
        numbers_.try_emplace(std::string(name), numbers_.size() + 1);
    if (is_new) {
      database_.check(bind_number(insert_, 1, at->second));
      database_.check(bind_text(insert_, 2, name));
      database_.step(insert_);
    }
    if (of_trace_.size() <= in_trace)
      of_trace_.resize(in_trace + 1);
    return of_trace_[in_trace] = at->second;
  }

private:
  Database &database_;
  Statement insert_;
  std::map<std::string, std::uint64_t> numbers_;
  std::vector<std::uint64_t> of_trace_;
};

/// The columns of a table that the database has. Those of a period are in its
/// own table, and need not be in every row of pages.
std::vector<std::size_t> stored_columns(const Table &table) {
  if (&table == &kPagesTable)
    return chosen_columns(table,
                          "trace,period,tid,address,read,written,checksum,"
                          "state,may,mapping,file_offset,read_site,write_site");
  return chosen_columns(table, "all");
}

bool is_mapping(const Table &table, std::size_t column) {
  return &table == &kPagesTable &&
         std::string_view(table.columns[column].name) == "mapping";
}

/// A statement costs as much as ten rows of it.
constexpr std::size_t kRowsAtOnce = 32;

/// Rows wait until a statement is full. Only the table of pages has many, and
/// its texts are constants, so they are still there then.
class SqliteSink : public RowSink {
public:
  SqliteSink(Database &database, NameTable &names, const Table &table)
      : database_(database), names_(names), columns_(stored_columns(table)),
        rows_at_once_(&table == &kPagesTable ? kRowsAtOnce : 1),
        bound_(rows_at_once_ * columns_.size()) {
    std::string columns;
    std::string values;
    for (const std::size_t number : columns_) {
      const Column &column = table.columns[number];
      const bool is_text = column.is_text && !is_mapping(table, number);
      columns += fmt::format("{}\"{}\" {}", columns.empty() ? "" : ", ",
                             column.name, is_text ? "TEXT" : "INTEGER");
      values += values.empty() ? "(?" : ", ?";
    }
    values += ')';
    database_.run(fmt::format("CREATE TABLE {} ({})", table.name, columns));
    const std::string insert =
        fmt::format("INSERT INTO {} VALUES ", table.name);
    insert_one_ = database_.prepare(insert + values);
    const std::string one = values;
    for (std::size_t i = 1; i < rows_at_once_; ++i)
      values += ", " + one;
    insert_ = database_.prepare(insert + values);
  }

  const std::vector<std::size_t> &columns() const { return columns_; }

  void row(const Cell *cells) override {
    const std::size_t first = waiting_ * columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      const Cell &cell = cells[columns_[i]];
      // A statement keeps what is bound, and most rows of pages differ from
      // those before in the address alone.
      Bound &bound = bound_[first + i];
      if (bound.is_known && cell.kind == bound.kind &&
          cell.number == bound.number &&
          cell.text.data() == bound.text.data() &&
          cell.text.size() == bound.text.size())
        continue;
      bound = {true, cell.kind, cell.number, cell.text};
      bind(insert_, first + i, bound);
    }
    if (++waiting_ < rows_at_once_)
      return;
    database_.step(insert_);
    waiting_ = 0;
  }

  /// Names of mappings have other numbers from here on.
  void begin_trace(const SelectedTrace &) override {
    bound_.assign(bound_.size(), Bound());
  }

  /// Writes the rows that wait.
  void end_trace(const SelectedTrace &) override {
    for (std::size_t row = 0; row < waiting_; ++row) {
      for (std::size_t i = 0; i < columns_.size(); ++i)
        bind(insert_one_, i, bound_[row * columns_.size() + i]);
      database_.step(insert_one_);
    }
    waiting_ = 0;
  }

private:
  struct Bound {
    bool is_known = false;
    Cell::Kind kind = Cell::Kind::kNone;
    std::uint64_t number = 0;
    std::string_view text = {}; ///< SQLite reads it when the row is written
  };

  void bind(const Statement &statement, std::size_t place, const Bound &cell) {
    const int at = static_cast<int>(place) + 1;
    switch (cell.kind) {
    case Cell::Kind::kNone:
      return database_.check(sqlite3_bind_null(statement.get(), at));
    case Cell::Kind::kNumber:
    case Cell::Kind::kAddress:
    case Cell::Kind::kHash:
      return database_.check(bind_number(statement, at, cell.number));
    case Cell::Kind::kText:
      return database_.check(bind_text(statement, at, cell.text));
    case Cell::Kind::kName:
      return database_.check(
          bind_number(statement, at, names_.number(cell.number, cell.text)));
    }
  }

  Database &database_;
  NameTable &names_;
  std::vector<std::size_t> columns_;
  std::size_t rows_at_once_;
  std::size_t waiting_ = 0;  ///< rows
  std::vector<Bound> bound_; ///< what insert_ has
  Statement insert_;
  Statement insert_one_;
};

/// Rows of pages as CSV has them.
constexpr const char kView[] =
    "CREATE VIEW page_rows AS SELECT p.trace, p.period, d.start_ns, d.end_ns, "
    "d.time_ns, d.pid, p.tid, p.address, printf('0x%x', p.address) AS "
    "hex_address, p.read, p.written, CASE WHEN p.checksum IS NOT NULL THEN "
    "printf('0x%016x', p.checksum) END AS checksum, p.state, p.may, n.name AS "
    "mapping, p.file_offset, p.read_site, p.write_site FROM pages p LEFT JOIN "
    "periods d ON d.trace = "
    "p.trace AND d.period = p.period LEFT JOIN names n ON n.mapping = "
    "p.mapping";

/// Writes the database under another name. Only a whole one gets its own.
class SqliteExport : public Export {
public:
  explicit SqliteExport(const ExportPlan &plan)
      : file_(plan.path), database_(file_.path(), plan.path) {
    // A half-written database is thrown away: it needs no journal.
    database_.run(
        "PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; "
        "PRAGMA locking_mode = EXCLUSIVE; PRAGMA cache_size = -16384");
    database_.run(fmt::format("PRAGMA application_id = {}; "
                              "PRAGMA user_version = {}",
                              kApplicationId, kSchemaVersion));
    database_.run(
        "BEGIN; "
        "CREATE TABLE export (schema_version INTEGER, selected TEXT);"
        "CREATE TABLE names (mapping INTEGER PRIMARY KEY, name TEXT)");
    const Statement about =
        database_.prepare("INSERT INTO export VALUES (?, ?)");
    database_.check(bind_number(about, 1, kSchemaVersion));
    const std::string selected = valid_text(plan.selected);
    if (!selected.empty())
      database_.check(bind_text(about, 2, selected));
    database_.step(about);
    names_ = std::make_unique<NameTable>(database_);
    for (const Table *table : export_tables()) {
      sinks_.push_back(
          std::make_unique<SqliteSink>(database_, *names_, *table));
      sources_.push_back(table->make(sinks_.back()->columns(), *sinks_.back()));
    }
  }

  void begin_trace(SelectedTrace &trace, std::uint64_t number) override {
    trace_ = &trace;
    names_->begin_trace();
    for (const auto &sink : sinks_)
      sink->begin_trace(trace);
    for (const auto &source : sources_)
      source->begin_trace(trace, number);
  }
  void see(const Frame &frame) override {
    for (const auto &source : sources_)
      source->see(frame);
  }
  void add(const PeriodPart &part) override {
    for (const auto &source : sources_)
      source->add(part);
  }
  void end_trace() override {
    for (const auto &source : sources_)
      source->end_trace();
    for (const auto &sink : sinks_)
      sink->end_trace(*trace_);
  }

  void finish() override {
    sources_.clear();
    sinks_.clear();
    names_.reset();
    database_.run("CREATE INDEX periods_by_number ON periods (trace, period);");
    database_.run(kView);
    database_.run("COMMIT");
    database_.close();
    file_.put_in_place();
  }

private:
  ReplacedFile file_;
  Database database_;
  std::unique_ptr<NameTable> names_;
  std::vector<std::unique_ptr<SqliteSink>> sinks_;
  std::vector<std::unique_ptr<TableSource>> sources_;
  const SelectedTrace *trace_ = nullptr;
};

} // namespace

extern const ExportFormat kSqliteFormat = {
    "sqlite",
    "a database with all tables; needs --output",
    false,
    true,
    make_export<SqliteExport>,
};

} // namespace pagetide::tools
