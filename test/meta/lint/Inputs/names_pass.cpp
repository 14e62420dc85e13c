// Names as in pass/.

namespace sample {

constexpr unsigned MaxRows = 4;

enum class State { Empty, Full };

class RowSet {
public:
  void addRow() { ++Rows; }

private:
  unsigned Rows = 0;
};

unsigned countRows(unsigned FirstRow) {
  unsigned RowCount = MaxRows - FirstRow;
  return RowCount;
}

} // namespace sample
