// Names as in runtime/.

namespace sample {

constexpr unsigned kMaxRows = 4;

enum class State { kEmpty, kFull };

class RowSet {
public:
  void AddRow() { ++rows_; }
  unsigned size() const { return rows_; }

private:
  unsigned rows_ = 0;
};

unsigned CountRows(unsigned first_row) {
  unsigned row_count = kMaxRows - first_row;
  return row_count;
}

} // namespace sample
