//===- process_view.cpp - What a document shows of one process ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "html/process_view.h"

#include "analysis/access_counts.h"
#include "analysis/report_limits.h"
#include "html/html_document.h"
#include "html/page_records.h"
#include "html/page_sites.h"
#include "support/json.h"
#include "support/text_format.h"
#include "trace/runs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace pagetide::tools {

namespace {

/// Fewer are of no use to anybody.
constexpr std::size_t kMinCells = 4096;
constexpr std::size_t kMinPages = 64;
constexpr std::size_t kMinBands = 64;
constexpr std::size_t kMinBins = 1024;
constexpr std::uint64_t kUnitNs = 1000; ///< of times in packed data
/// Longer names would not be read, and a made-up trace can have many.
constexpr std::size_t kMaxMappingName = 256;
constexpr std::size_t kMaxCommand = 400;

/// Numbers periods in the order of the trace. Their indices may have gaps.
class PeriodCounter {
public:
  /// The ordinal number of the part's period.
  std::uint64_t number_of(const PeriodPart &part) {
    if (!index_ || *index_ != part.index) {
      index_ = part.index;
      ++count_;
    }
    return count_ - 1;
  }
  std::uint64_t count() const { return count_; }

private:
  std::optional<std::uint64_t> index_;
  std::uint64_t count_ = 0;
};

/// What the first reading tells: all that must be known before grids are made.
struct Survey {
  explicit Survey(std::size_t max_checksums)
      : pages(kTableBytes, max_checksums), sites(kTableBytes) {}

  PageRecords pages;
  PageSites sites;
  AddressBands bands;
  std::vector<std::string> names; ///< of mappings, by their numbers
  std::uint64_t periods = 0;
  std::map<std::uint32_t, std::uint64_t> threads; ///< accesses by tid
};

void survey(SelectedTrace &trace, const ViewLimits &limits, Survey &found) {
  UsedRanges used;
  std::size_t name_count = 0;
  std::vector<PageAccess> accesses; // of the period
  trace.name_mappings(
      [&](std::size_t name, const GranuleRun &piece, const PeriodTime &period) {
        name_count = std::max(name_count, name + 1);
        used.add(name, piece.first, piece.end());
        accesses.push_back({piece, name, trace.since_start(period.start_ns)});
      });
  const auto add_accesses = [&] {
    found.pages.add_accesses(accesses);
    accesses.clear();
  };
  if (trace.header().flags & trace::kHeaderSites)
    trace.take_sites([&](std::uint32_t, std::span<const SiteRun> rows,
                         const PeriodTime &) { found.sites.add(rows); });
  const unsigned shift = trace.header().granule_shift;
  const NumberRange addresses = trace.selection().addresses;
  PeriodCounter counter;
  while (const PeriodPart *part = trace.next()) {
    counter.number_of(*part);
    add_accesses();
    found.pages.add_checksums(*part, trace.since_start(part->start_ns),
                              addresses.first >> shift,
                              addresses.last >> shift);
    for (const PeriodPart::Section &section : part->sections) {
      if (!found.threads.contains(section.tid) &&
          found.threads.size() == kMaxThreads)
        continue;
      AccessCounts counts;
      counts.add(part->runs_of(section));
      found.threads[section.tid] += counts.accessed;
    }
  }
  add_accesses(); // those that waited for the names of mappings
  found.periods = counter.count();
  for (std::size_t name = 0; name < name_count; ++name)
    found.names.push_back(cut_text(trace.mapping(name), kMaxMappingName));
  found.bands = used.bands(limits.bands,
                           [&](std::size_t name) { return found.names[name]; });
}

/// The largest period of each bin, and what all of them have.
struct BinFigures {
  std::uint64_t start_ns = UINT64_MAX;
  std::uint64_t end_ns = 0;
  AccessCounts counts;

  void add(const BinFigures &other) {
    start_ns = std::min(start_ns, other.start_ns);
    end_ns = std::max(end_ns, other.end_ns);
    counts.take_largest(other.counts);
  }
};

/// A grid for one thread, or for all.
struct Layer {
  std::optional<std::uint32_t> tid; ///< none: all threads
  ViewGrid grid;
};

/// The threads with the most accesses.
std::vector<std::uint32_t> busiest_threads(const Survey &found,
                                           std::size_t max) {
  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  for (const auto &[tid, accesses] : found.threads)
    order.emplace_back(accesses, tid);
  std::sort(order.rbegin(), order.rend());
  order.resize(std::min(order.size(), max));
  std::vector<std::uint32_t> tids;
  for (const auto &[accesses, tid] : order)
    tids.push_back(tid);
  return tids;
}

/// None is finer than the one of `finer`, if there are any.
std::vector<Layer> make_layers(const Survey &found, const GridShape &shape,
                               bool per_thread, const ViewLimits &limits,
                               std::span<const Layer> finer = {}) {
  std::vector<Layer> layers;
  layers.push_back({std::nullopt, ViewGrid(shape, found.periods, found.bands)});
  if (!per_thread || found.threads.size() < 2)
    return layers;
  const std::vector<std::uint32_t> tids =
      busiest_threads(found, limits.threads);
  // The script makes coarser grids of fine ones, so all shapes are powers of
  // two of the finest.
  unsigned coarser = 0;
  const auto cells = [&](const GridShape &of) {
    return (found.periods / of.periods_per_bin + 1) *
           count_rows(found.bands, of.granules_per_row);
  };
  while (coarser < 40 &&
         cells(shape.coarser(coarser)) > limits.thread_cells / tids.size() &&
         count_rows(found.bands, shape.coarser(coarser).granules_per_row) >
             found.bands.list().size())
    ++coarser;
  for (const std::uint32_t tid : tids) {
    GridShape of_thread = shape.coarser(coarser);
    if (!finer.empty())
      of_thread = of_thread.with(finer[layers.size()].grid.shape());
    layers.push_back({tid, ViewGrid(of_thread, found.periods, found.bands)});
  }
  return layers;
}

std::vector<BinFigures> fill(SelectedTrace &trace, const Survey &found,
                             std::vector<Layer> &layers) {
  const ViewGrid &all = layers.front().grid;
  std::vector<BinFigures> bins(all.bins());
  std::map<std::uint32_t, ViewGrid *> of_threads;
  for (Layer &layer : layers)
    if (layer.tid)
      of_threads[*layer.tid] = &layer.grid;
  std::vector<GranuleRun> scratch;
  PeriodCounter counter;
  BinFigures size; // of the period
  while (const PeriodPart *part = trace.next()) {
    const std::uint64_t before = counter.count();
    const std::uint64_t period = counter.number_of(*part);
    if (period >= found.periods)
      break; // the trace has grown since the first reading
    if (counter.count() != before)
      size = BinFigures();
    for (const PeriodPart::Section &section : part->sections)
      if (const auto layer = of_threads.find(section.tid);
          layer != of_threads.end())
        for (const GranuleRun &run : part->runs_of(section))
          layer->second->add(period, run);
    for (const GranuleRun &run : union_of_sections(*part, scratch)) {
      layers.front().grid.add(period, run);
      size.counts.add(run);
    }
    size.start_ns = trace.since_start(part->start_ns);
    size.end_ns = trace.since_start(part->end_ns);
    bins[period / all.shape().periods_per_bin].add(size);
  }
  return bins;
}

Json json_of(const AddressBands &bands) {
  Json list = Json::array();
  for (const AddressBand &band : bands.list())
    list.push_back({{"first", band.first},
                    {"end", band.end},
                    {"label", band.label},
                    {"more", band.more_labels}});
  return list;
}

Json json_of(const std::vector<BinFigures> &bins) {
  Json out = {{"start_us", Json::array()},
              {"us", Json::array()},
              {"accessed", Json::array()},
              {"read", Json::array()},
              {"written", Json::array()}};
  for (const BinFigures &bin : bins) {
    // A period that was there only at the first reading has no time.
    const std::uint64_t start = std::min(bin.start_ns, bin.end_ns);
    out["start_us"].push_back(start / kUnitNs);
    out["us"].push_back((bin.end_ns - start + kUnitNs - 1) / kUnitNs);
    out["accessed"].push_back(bin.counts.accessed);
    out["read"].push_back(bin.counts.read);
    out["written"].push_back(bin.counts.written);
  }
  return out;
}

/// Pages that no earlier period accessed, by bins.
Json fresh_pages(const PageRecords &pages,
                 const std::vector<BinFigures> &bins) {
  std::vector<std::uint64_t> fresh(bins.size());
  pages.each([&](const PageRecord &page) {
    const auto after =
        std::upper_bound(bins.begin(), bins.end(), page.first_ns,
                         [](std::uint64_t ns, const BinFigures &bin) {
                           return ns < bin.start_ns;
                         });
    if (after != bins.begin())
      ++fresh[static_cast<std::size_t>(after - bins.begin()) - 1];
  });
  return fresh;
}

/// The grids and the figures of bins, at the finest resolution that fits.
struct Picture {
  std::vector<Layer> layers;
  std::vector<std::vector<std::uint8_t>> packed; ///< levels of the layers
  std::vector<BinFigures> bins;
};

/// As large as the limits let it be.
Picture coarser(const Picture &fine, const Survey &found, bool per_thread,
                const ViewLimits &limits) {
  const GridShape shape =
      shape_for(found.periods, found.bands, limits.cells, limits.bins);
  const GridShape before = fine.layers.front().grid.shape();
  Picture picture;
  picture.layers =
      make_layers(found, shape.with(before), per_thread, limits, fine.layers);
  for (std::size_t i = 0; i < picture.layers.size(); ++i)
    picture.layers[i].grid.add(fine.layers[i].grid);
  const GridShape now = picture.layers.front().grid.shape();
  picture.bins.resize(picture.layers.front().grid.bins());
  for (std::size_t i = 0; i < fine.bins.size(); ++i)
    picture.bins[i * before.periods_per_bin / now.periods_per_bin].add(
        fine.bins[i]);
  return picture;
}

/// Whether the bytes will surely not fit when they are packed. Packing them to
/// see it would take as long as packing those that fit.
bool is_hopeless(std::span<const std::uint8_t> bytes, std::size_t max_bytes) {
  constexpr std::size_t kSample = 64 << 10;
  constexpr std::size_t kOneOf = 16;
  double packed = 0;
  double sampled = 0;
  for (std::size_t at = 0; at + kSample <= bytes.size();
       at += kOneOf * kSample) {
    packed +=
        static_cast<double>(deflate_raw(bytes.subspan(at, kSample)).size());
    sampled += kSample;
  }
  return packed * static_cast<double>(bytes.size()) >
         1.25 * sampled * static_cast<double>(max_bytes);
}

/// False if that takes more bytes.
bool pack(Picture &picture, std::size_t max_bytes) {
  for (const Layer &layer : picture.layers) {
    const std::vector<std::uint8_t> levels = layer.grid.levels();
    std::optional<std::vector<std::uint8_t>> packed;
    if (!is_hopeless(levels, max_bytes))
      packed = deflate_raw(levels, max_bytes);
    if (!packed)
      return false;
    max_bytes -= packed->size();
    picture.packed.push_back(*std::move(packed));
  }
  return true;
}

Picture draw(SelectedTrace &trace, const Survey &found, ViewLimits limits) {
  const bool per_thread = trace.header().flags & trace::kHeaderPerThread;
  Picture picture;
  picture.layers = make_layers(
      found, shape_for(found.periods, found.bands, limits.cells, limits.bins),
      per_thread, limits);
  picture.bins = fill(trace, found, picture.layers);
  while (!pack(picture,
               limits.cells > kMinCells ? limits.packed_bytes : SIZE_MAX)) {
    limits.cells /= 2;
    limits.thread_cells /= 2;
    picture = coarser(picture, found, per_thread, limits);
  }
  return picture;
}

std::size_t add_blob(ViewData &data, std::vector<std::uint8_t> packed) {
  data.blobs.push_back(std::move(packed));
  return data.blobs.size() - 1;
}

Json add_layers(const Picture &picture, const SelectedTrace &trace,
                ViewData &data) {
  Json list = Json::array();
  for (std::size_t i = 0; i < picture.layers.size(); ++i) {
    const auto &[tid, grid] = picture.layers[i];
    Json entry = {{"tid", tid ? Json(*tid) : Json()},
                  {"name", ""},
                  {"periods_per_bin", grid.shape().periods_per_bin},
                  {"granules_per_row", grid.shape().granules_per_row},
                  {"bins", grid.bins()},
                  {"rows", grid.rows()},
                  {"blob", add_blob(data, picture.packed[i])}};
    if (tid)
      if (const auto name = trace.threads().find(*tid);
          name != trace.threads().end())
        entry["name"] = name->second;
    list.push_back(std::move(entry));
  }
  return list;
}

Json add_pages(const Survey &found, const SelectedTrace &trace,
               const SiteList *sites, const ViewLimits &limits,
               ViewData &data) {
  std::uint64_t count = 0;
  const std::vector<PageRecords::Entry> pages =
      found.pages.busiest(limits.pages, count);
  std::vector<ChecksumEvent> events = found.pages.events();
  const std::size_t left_out =
      events.size() - std::min(events.size(), limits.checksums);
  events.resize(events.size() - left_out);
  const auto add = [&](const ByteColumns &columns) {
    return add_blob(data, deflate_raw(columns.bytes()));
  };
  Json out = {{"count", count},
              {"is_lower_bound", found.pages.is_lower_bound()},
              {"listed", pages.size()},
              {"blob", add(columns_of(pages, kUnitNs))},
              {"checksums", events.size()},
              {"checksums_left_out", found.pages.events_left_out() + left_out},
              {"checksums_blob", add(columns_of(events, kUnitNs))},
              {"sites_blob", nullptr}};
  if (sites && (trace.header().flags & trace::kHeaderSites))
    out["sites_blob"] =
        add(found.sites.columns_of(pages, [&](std::uint32_t id) {
          return sites->number_of(SitesReport::key_of(trace.sites(), id));
        }));
  return out;
}

/// All that the document has of the process, with so many pages one by one.
ViewData describe(const SelectedTrace &trace, const Survey &found,
                  const Picture &picture, const SiteList *sites,
                  const ViewLimits &limits) {
  ViewData data;
  const trace::FileHeader &header = trace.header();
  Json view = {{"file", trace.path()},
               {"pid", header.pid},
               {"program", ""},
               {"command", ""},
               {"verdict", trace.completeness().verdict()},
               {"start_us", trace.since_start(header.monotonic_ns) / kUnitNs},
               {"period_ns", header.period_ns},
               {"periods", found.periods},
               {"granule_bytes", std::uint64_t{1} << header.granule_shift},
               {"layout", abi::kLayoutNames[header.layout]},
               {"checksum_mode", checksum_mode_name(header.checksum_mode)},
               {"per_thread", (header.flags & trace::kHeaderPerThread) != 0},
               {"thread_count", found.threads.size()}};
  if (const std::optional<Process> &process = trace.process()) {
    view["program"] = cut_text(process->executable, kMaxCommand);
    view["command"] =
        cut_text(format_command_briefly(process->arguments), kMaxCommand);
  }
  view["mappings"] = found.names;
  if (found.names.size() > limits.names)
    view["mappings"] = std::vector<std::string>(
        found.names.begin(),
        found.names.begin() + static_cast<std::ptrdiff_t>(limits.names));
  view["bands"] = json_of(found.bands);
  view["bins"] = json_of(picture.bins);
  view["bins"]["new"] = fresh_pages(found.pages, picture.bins);
  view["layers"] = add_layers(picture, trace, data);
  view["pages"] = add_pages(found, trace, sites, limits, data);
  data.json = dumped(view);
  return data;
}

} // namespace

ViewLimits ViewLimits::within(std::size_t bytes) {
  ViewLimits limits;
  const auto share = [&](std::size_t most) {
    return static_cast<std::size_t>(
        static_cast<double>(most) *
        std::min(1.0, static_cast<double>(bytes) /
                          static_cast<double>(ViewLimits().bytes)));
  };
  limits.bytes = bytes;
  limits.cells = share(limits.cells);
  limits.thread_cells = share(limits.thread_cells);
  limits.packed_bytes = share(limits.packed_bytes);
  limits.pages = share(limits.pages);
  limits.checksums = share(limits.checksums);
  limits.bands = std::max(share(limits.bands), kMinBands);
  limits.bins = std::max(share(limits.bins), kMinBins);
  limits.names = std::max(share(limits.names), kMinBands);
  return limits;
}

std::size_t ViewData::bytes() const {
  std::size_t bytes = json_in_html(json).size();
  for (const std::vector<std::uint8_t> &blob : blobs)
    bytes += HtmlDocument::blob_bytes(blob.size());
  return bytes;
}

ViewData view_process(const OpenSelected &open, const ViewLimits &limits,
                      const SiteList *sites) {
  Survey found(limits.checksums);
  const std::unique_ptr<SelectedTrace> trace = open();
  survey(*trace, limits, found);
  const Picture picture = draw(*open(), found, limits);
  ViewLimits rest = limits;
  while (true) {
    ViewData data = describe(*trace, found, picture, sites, rest);
    if (data.bytes() <= limits.bytes || rest.pages < kMinPages)
      return data;
    rest.pages /= 2;
    rest.checksums /= 2;
    rest.names /= 2;
  }
}

} // namespace pagetide::tools
