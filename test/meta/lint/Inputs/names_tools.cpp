// Names as in tools/.

namespace sample {

constexpr unsigned kMaxRows = 4;

enum class State { kEmpty, kFull };

class RowSet {
public:
  void add_row() { ++rows_; }

private:
  unsigned rows_ = 0;
};

unsigned count_rows(unsigned first_row) {
  unsigned row_count = kMaxRows - first_row;
  return row_count;
}

} // namespace sample
