#!/bin/bash
echo begin
sudo apt-get install -y jq && echo ready
