// SPDX-License-Identifier: BSD-3-Clause
//
// Boost.Graph's Boykov-Kolmogorov maximum flow on the same networks as inference/max_flow.h, for
// comparison.
#pragma once

#include <span>
#include <vector>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/boykov_kolmogorov_max_flow.hpp>

#include <slackline/inference/roof_duality.h>

namespace slackline::internal::bench {

/// The doubled graph of a set of pairs. The graph is built once; every solution sets new
/// capacities.
class BoostDoubledGraph {
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using Graph = boost::adjacency_list<
      boost::vecS, boost::vecS, boost::directedS,
      boost::property<boost::vertex_index_t, long,
                      boost::property<boost::vertex_color_t, boost::default_color_type,
                                      boost::property<boost::vertex_distance_t, long,
                                                      boost::property<boost::vertex_predecessor_t,
                                                                      Traits::edge_descriptor>>>>,
      boost::property<
          boost::edge_capacity_t, double,
          boost::property<boost::edge_residual_capacity_t, double,
                          boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;

 public:
  BoostDoubledGraph(Index variables, std::span<const VariablePair> pairs)
      : n_(variables), pairs_(pairs.begin(), pairs.end()), graph_(2 * variables + 2) {
    source_ = 2 * n_;
    sink_ = 2 * n_ + 1;
    for (Index k = 0; k < 2 * n_; ++k) {
      from_source_.push_back(Connect(source_, k));
      to_sink_.push_back(Connect(k, sink_));
    }
    for (const VariablePair& pair : pairs_) {
      for (const auto& [a, b] : {std::pair<Index, Index>{pair.first, pair.second},
                                 {n_ + pair.first, n_ + pair.second},
                                 {pair.first, n_ + pair.second},
                                 {pair.second, n_ + pair.first}}) {
        edges_.push_back(Connect(a, b));
      }
    }
  }

  double Solve(std::span<const double> u, std::span<const double> t) {
    std::vector<double> a(u.begin(), u.end());
    for (std::size_t e = 0; e < pairs_.size(); ++e) {
      a[pairs_[e].first] += 0.5 * t[e];
      a[pairs_[e].second] += 0.5 * t[e];
      const double positive = std::max(0.0, t[e]) / 2;
      const double negative = std::max(0.0, -t[e]) / 2;
      for (std::size_t k = 0; k < 4; ++k) SetBoth(edges_[4 * e + k], k < 2 ? positive : negative);
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
      SetTerminals(i, a[i]);
      SetTerminals(a.size() + i, -a[i]);
    }
    return boost::boykov_kolmogorov_max_flow(graph_, source_, sink_);
  }

 private:
  using Edge = Traits::edge_descriptor;
  Edge Connect(Index a, Index b) {
    const Edge there = boost::add_edge(a, b, graph_).first;
    const Edge back = boost::add_edge(b, a, graph_).first;
    boost::put(boost::edge_reverse, graph_, there, back);
    boost::put(boost::edge_reverse, graph_, back, there);
    return there;
  }
  void SetBoth(Edge edge, double capacity) {
    boost::put(boost::edge_capacity, graph_, edge, capacity);
    boost::put(boost::edge_capacity, graph_, boost::get(boost::edge_reverse, graph_, edge),
               capacity);
  }
  void SetTerminals(std::size_t node, double excess) {
    boost::put(boost::edge_capacity, graph_, from_source_[node], std::max(0.0, excess));
    boost::put(boost::edge_capacity, graph_, to_sink_[node], std::max(0.0, -excess));
  }

  Index n_;
  Index source_ = 0;
  Index sink_ = 0;
  std::vector<VariablePair> pairs_;
  Graph graph_;
  std::vector<Edge> from_source_, to_sink_, edges_;
};

}  // namespace slackline::internal::bench
